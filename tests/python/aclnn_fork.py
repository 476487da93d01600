"""What a forked child of a process that uses the NPU gets; runs in a process on the software NPU."""

import os

import torch


def child_error() -> str:
    """The error of an operator in a forked child."""
    torch.ones(2, device="npu").add_(1)
    torch.npu.synchronize()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            torch.ones(2, device="npu")
            text = "no error"
        except BaseException as error:  # whatever it is, the parent shows it
            text = str(error)
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return text
