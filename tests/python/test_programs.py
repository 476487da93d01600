"""Programs that no other test has: printing, comparing, clipping, schedules, seeds on both SoCs.

Where the other kinds of ordinary programs are:

- an MLP, a residual block, a Transformer encoder, autocast with GradScaler: test_training.py
- a decoder with rotary positions, causal attention, SwiGLU, sampling: test_decoder.py, test_attention.py
- LSTM, GRU, RNN and their cells: test_recurrent.py
- LeNet, convolutions and transposed ones in 1 to 3 dimensions, norms, 27 activations, 13 losses,
  interpolation, padding, pooling, grid sample, folding: test_modules.py
- nine optimizers in three forms: test_aclnn_optimizers.py
- tensor expressions, linear algebra, sorting, lists: test_aclnn_expressions.py; indexing and scattering:
  test_indexing.py
- distributions of random numbers: test_aclnn_functions.py, test_aclnn_sampling.py
- checkpoints, loaders, streams, memory: test_device.py; threads and processes: test_threads.py
"""

import math

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.fixture(params=["npu", "npu950"])
def process(request: pytest.FixtureRequest) -> NpuProcess:
    """Each SoC."""
    return request.getfixturevalue(request.param)


def test_tensors_are_printed_as_on_the_cpu(process: NpuProcess) -> None:
    assert process.call("programs:printed_differently") == []


def test_tensors_are_compared_saved_and_read(process: NpuProcess) -> None:
    found = process.call("programs:compared")
    assert found == [True] * 12


def test_clipping_and_schedules_are_those_of_the_cpu(process: NpuProcess) -> None:
    on_npu = process.call("programs:clipped_and_scheduled", device="npu", dropout=0.0)
    on_cpu = process.call("programs:clipped_and_scheduled", device="cpu", dropout=0.0)
    assert on_cpu["losses"][-1] < 0.9 * on_cpu["losses"][0]
    assert len(set(on_cpu["rates"])) > 6
    for name, values in on_cpu.items():
        assert on_npu[name] == pytest.approx(values, rel=1e-4), name


def test_dropout_trains_the_same_way_again(process: NpuProcess) -> None:
    first, again, plain = (
        process.call("programs:clipped_and_scheduled", device="npu", dropout=dropout)["losses"]
        for dropout in (0.4, 0.4, 0.0)
    )
    assert all(math.isfinite(loss) for loss in first)
    assert first == again
    assert first != pytest.approx(plain, rel=1e-3)


def test_a_seed_gives_its_numbers_on_both_socs(npu: NpuProcess, npu950: NpuProcess) -> None:
    first, other, newer, again, newer_again = (
        process.call("programs:random_numbers", seed=seed)
        for process, seed in ((npu, 7), (npu, 8), (npu950, 7), (npu, 7), (npu950, 7))
    )
    assert first == again
    assert newer == newer_again
    assert [name for name in first if first[name] == other[name]] == []
    # torch_npu moves the generator on by another amount on the Ascend950, and has another exponential_ there.
    same = [name for name in first if not name.endswith("again") and name != "exponential"]
    assert {name: newer[name] for name in same} == {name: first[name] for name in same}
