"""Rules of the environment: versions, CANN, search paths, Python modules, driver."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Environment"

RULES = (
    Rule(
        "OW951",
        "torch-npu-version",
        "error",
        FAMILY,
        "torch_npu is of the same version as torch: it is built against exactly one.",
        "One of the two was updated alone.",
        "pip install torch==X torch-npu==X with the same X.",
    ),
    Rule(
        "OW952",
        "two-canns",
        "error",
        FAMILY,
        "One CANN is used: ASCEND_HOME_PATH, ASCEND_OPP_PATH and the loader's path lead to the same.",
        "Two set_env.sh were sourced in one shell.",
        "Start a fresh shell and source one of them; or use opweld run.",
    ),
    Rule(
        "OW953",
        "loader-path",
        "error",
        FAMILY,
        "The loader finds CANN's libraries: <CANN>/lib64 is on LD_LIBRARY_PATH.",
        "ASCEND_HOME_PATH was set by hand, without set_env.sh.",
        "source <CANN>/set_env.sh, or use opweld run.",
    ),
    Rule(
        "OW954",
        "python-module",
        "error",
        FAMILY,
        "The Python modules that torch_npu needs are installed.",
        "torch_npu's wheel does not ask pip for all that it imports.",
        "pip install the module that the message names.",
    ),
    Rule(
        "OW955",
        "driver",
        "error",
        FAMILY,
        "Where a real CANN is used, the NPU's driver is there: /dev/davinci0 and libascend_hal.so.",
        "The driver is not installed, or a container was started without the devices.",
        "Install the driver, or start the container with --device=/dev/davinci0 and its management devices; "
        "without an NPU use the software NPU: OPWELD_TARGET=software.",
    ),
    Rule(
        "OW956",
        "torch-npu-absent",
        "error",
        FAMILY,
        "torch and torch_npu are installed in the Python that runs the program.",
        "The program runs in another environment than the one they were installed into.",
        "pip install torch-npu there, or activate the right environment.",
    ),
    Rule(
        "OW957",
        "cann-home",
        "error",
        FAMILY,
        "ASCEND_HOME_PATH leads to a whole CANN: with lib64, runtime and compiler.",
        "It leads to the folder above or below, or to one that was removed.",
        "Set it to the folder that holds set_env.sh.",
    ),
    Rule(
        "OW958",
        "setting",
        "error",
        FAMILY,
        "Each of opweld's variables has a value that it takes.",
        "A name is misspelt, or the value is one of another version.",
        "Write one of the values that the message names, or unset the variable.",
        "console",
        "$ export OPWELD_GRAPH_PASSES=-fuse-chain",
        "$ export OPWELD_GRAPH_PASSES=-fuse-chains",
    ),
)
