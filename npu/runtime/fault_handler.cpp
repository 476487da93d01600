#include "npu/runtime/fault_handler.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "npu/runtime/address_space.h"
#include "npu/runtime/memory.h"

namespace opweld::npu {
namespace {

struct sigaction previous;

void write_all(const char* text, size_t size) {
    while (size > 0) {
        const auto written = write(STDERR_FILENO, text, size);
        if (written <= 0) {
            return;
        }
        text += written;
        size -= static_cast<size_t>(written);
    }
}

void tell(uintptr_t address) {
    std::array<char, 1024> text{};
    const auto begun =
        fmt::format_to_n(text.data(), text.size() - 1,
                         "\n*** opweld: host code touched NPU memory at {:#x} on device {}: ", address,
                         AddressSpace::device_of(reinterpret_cast<const void*>(address)));
    size_t length = begun.size < text.size() - 1 ? begun.size : text.size() - 1;
    const Memory* memory = Memory::if_used();
    if (memory != nullptr) {
        length += memory->map().explain_fault(address, text.data() + length, text.size() - 1 - length);
    }
    write_all(text.data(), length);
    constexpr std::string_view advice =
        ".\n*** A pointer to NPU memory can't be read or written on the host; copy with aclrtMemcpy "
        "(tensor.cpu()).\n";
    write_all(advice.data(), advice.size());
}

// Hands over: the former handler is in place again when the faulting instruction runs a second time, with the
// same fault and the same registers.
void hand_over() { sigaction(SIGSEGV, &previous, nullptr); }

void on_fault(int signal, siginfo_t* info, void* context) {
    // Only the kernel's own report of a bad access carries an address.
    const bool access = info->si_code > 0;
    if (access && AddressSpace::contains(info->si_addr)) {
        tell(reinterpret_cast<uintptr_t>(info->si_addr));
        hand_over();
        return;
    }
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(signal, info, context);
        return;
    }
    if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
        const bool ignored = !access && previous.sa_handler == SIG_IGN;
        if (!ignored) {
            hand_over();
            if (!access) {
                ::raise(signal);
            }
        }
        return;
    }
    previous.sa_handler(signal);
}

}  // namespace

void install_fault_handler() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, nullptr, &previous);
        sigaction(SIGSEGV, &action, nullptr);
    });
}

}  // namespace opweld::npu
