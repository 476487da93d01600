"""The tree that looks like a CANN installation, and npu-smi."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from opweld.home import is_software_home, software_home

HOME = software_home()


def npu_smi(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HOME / "bin" / "npu-smi", *arguments], capture_output=True, text=True, env=os.environ | variables
    )


def fields(text: str) -> dict[str, str]:
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def test_torch_npu_finds_the_folders_it_insists_on():
    assert is_software_home(HOME)
    for entry in ("runtime", "compiler", "opp", "lib64", "bin", "include/opweld", "include/aclnnop"):
        assert (HOME / entry).is_dir(), entry
        assert any((HOME / entry).iterdir()), f"{entry} is empty, which a wheel cannot hold"


def test_all_libraries_go_by_their_own_name_and_find_each_other():
    for library in (HOME / "lib64").glob("lib*.so"):
        dynamic = subprocess.run(
            ["readelf", "-d", library], capture_output=True, text=True, check=True
        ).stdout
        assert f"soname: [{library.name}]" in dynamic
        if "[libtorch_cpu.so]" in dynamic:  # also found by a program that has not loaded torch yet
            assert re.search(r"runpath: \[.*/torch/lib[:\]]", dynamic), library.name


def test_versions_agree(npu):
    manifest = json.loads((HOME / "opweld.json").read_text())
    version = manifest["cann"]
    install_info = next(HOME.glob("ascend_*_install.info")).read_text()
    assert re.search(r"^version=(.*)$", install_info, re.M)[1] == version
    assert f"[{version}]" in (HOME / "version.cfg").read_text()
    assert npu.call("layout_probe:versions") == {"runtime": version, "torch_npu": version}


@pytest.mark.parametrize("shell", [s for s in ("/bin/bash", "/bin/zsh") if Path(s).exists()])
def test_set_env_leads_to_the_tree(shell):
    script = '. "$1/set_env.sh" && echo "$ASCEND_HOME_PATH:$ASCEND_OPP_PATH" && command -v npu-smi'
    result = subprocess.run([shell, "-c", script, shell, HOME], capture_output=True, text=True)
    assert result.stdout.splitlines() == [f"{HOME}:{HOME}/opp", f"{HOME}/bin/npu-smi"], result.stderr


@pytest.mark.parametrize(("soc", "chip"), [("Ascend910B1", "910B1"), ("Ascend950PR", "950PR")])
def test_npu_smi_shows_each_device(soc, chip):
    result = npu_smi("info", OPWELD_SOC=soc, OPWELD_DEVICES="3", ASCEND_RT_VISIBLE_DEVICES="1")
    assert result.returncode == 0, result.stderr
    assert len({len(line) for line in result.stdout.splitlines()}) == 1
    rows = re.findall(r"^\| (\d+) +([0-9A-Za-z]+) +\| OK ", result.stdout, re.M)
    assert rows == [("0", chip), ("1", chip), ("2", chip)]


def test_npu_smi_lists_and_maps():
    listed = npu_smi("info", "-l", OPWELD_DEVICES="2").stdout
    assert re.search(r"Total Count +: 2", listed)
    assert re.findall(r"NPU ID +: (\d)", listed) == ["0", "1"]
    mapped = npu_smi("info", "-m", OPWELD_DEVICES="2").stdout.splitlines()
    assert [line.split()[:3] for line in mapped[1:]] == [["0", "0", "0"], ["1", "0", "1"]]


def test_npu_smi_tells_the_memory_and_cores_of_a_device():
    usages = fields(npu_smi("info", "-t", "usages", "-i", "1", OPWELD_DEVICES="2", OPWELD_HBM_GIB="2").stdout)
    assert (usages["NPU ID"], usages["HBM Capacity(MB)"], usages["HBM Usage Rate(%)"]) == ("1", "2048", "0")
    assert fields(npu_smi("info", "-t", "common", "-i", "0").stdout)["Aicore Count"] == "24"
    assert fields(npu_smi("info", "-t", "board", "-i", "0").stdout)["Chip Name"] == "910B1"
    assert "HBM Capacity(MB)" in fields(npu_smi("info", "-t", "memory").stdout)


@pytest.mark.parametrize(
    ("arguments", "variables", "sentence"),
    [
        (["top"], {}, "answers `info` only"),
        ([], {}, "answers `info` only"),
        (["info", "-x"], {}, "option '-x' is unknown or lacks its value"),
        (["info", "-t"], {}, "option '-t' is unknown or lacks its value"),
        (["info", "-t", "power"], {}, "type 'power' is not known"),
        (["info", "-t", "board", "-i", "one"], {}, "'one' is no number"),
        (["info", "-t", "board", "-i", "5"], {}, "device 5 does not exist; there are 1"),
        (["info", "-t", "board", "-i", "0", "-c", "1"], {}, "chip 1 does not exist"),
        (["info"], {"OPWELD_SOC": "Ascend1"}, "OPWELD_SOC"),
        (["info"], {"OPWELD_DEVICES": "none"}, "OPWELD_DEVICES"),
    ],
)
def test_npu_smi_says_what_is_wrong(arguments, variables, sentence):
    result = npu_smi(*arguments, **variables)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("npu-smi: ")
    assert sentence in result.stderr
