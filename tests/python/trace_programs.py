"""A program on the software NPU's runtime alone, without torch: copies, events, threads, a forked child.

`python trace_programs.py LIBRARY [kill]`: with `kill` it ends itself by SIGKILL after its work.
"""

import ctypes
import os
import signal
import sys
import threading

TO_DEVICE, FROM_DEVICE, WITHIN = 1, 2, 3
SIZE = 1024


class Runtime:
    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self("aclInit", None)
        self("aclrtSetDevice", 0)

    def __call__(self, function: str, *arguments) -> None:
        status = self.library[function](*arguments)
        if status != 0:
            self.library.aclGetRecentErrMsg.restype = ctypes.c_char_p
            raise RuntimeError(f"{function}: {self.library.aclGetRecentErrMsg()!r}")

    def made(self, function: str, *arguments) -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        self(function, ctypes.byref(handle), *arguments)
        return handle


def work(npu: Runtime) -> None:
    npu("aclrtSetDevice", 0)
    host = ctypes.create_string_buffer(SIZE)
    first, second = (npu.made("aclrtMalloc", ctypes.c_size_t(SIZE), 0) for _ in range(2))
    one, two = (npu.made("aclrtCreateStream") for _ in range(2))
    event = npu.made("aclrtCreateEventExWithFlag", 1)
    size = ctypes.c_size_t(SIZE)
    npu("aclrtMemcpyAsync", first, size, host, size, TO_DEVICE, one)
    npu("aclrtMemsetAsync", second, size, 0, size, one)
    npu("aclrtRecordEvent", event, one)
    npu("aclrtStreamWaitEvent", two, event)
    npu("aclrtMemcpyAsync", second, size, first, size, WITHIN, two)
    npu("aclrtSynchronizeStream", two)
    npu("aclrtMemcpy", host, size, second, size, FROM_DEVICE)
    npu("aclrtSynchronizeDevice")


def main() -> None:
    npu = Runtime(sys.argv[1])
    work(npu)
    thread = threading.Thread(target=work, args=[npu])
    thread.start()
    thread.join()
    child = os.fork()
    if child == 0:
        host = ctypes.create_string_buffer(SIZE)
        npu.library.aclrtMemcpy(
            host, ctypes.c_size_t(8), host, ctypes.c_size_t(8), 0
        )  # told, whatever comes of it
        os._exit(0)
    os.waitpid(child, 0)
    print(os.getpid(), child, flush=True)
    if "kill" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
