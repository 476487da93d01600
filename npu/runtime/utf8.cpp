#include "npu/runtime/utf8.h"

#include <cstddef>

namespace opweld::npu {
namespace {

bool continues(unsigned char byte) noexcept { return (byte & 0xC0U) == 0x80U; }

// Bytes of the sequence that begins at `at`; 0 where none does (RFC 3629: shortest forms, no surrogates).
size_t sequence_at(std::string_view text, size_t at) noexcept {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(at);
    if (first < 0x80U) {
        return 1;
    }
    const unsigned second = byte(at + 1);
    if (first >= 0xC2U && first <= 0xDFU) {
        return continues(static_cast<unsigned char>(second)) ? 2 : 0;
    }
    const unsigned lowest = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : 0x80U;
    const unsigned highest = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : 0xBFU;
    if (second < lowest || second > highest || !continues(static_cast<unsigned char>(byte(at + 2)))) {
        return 0;
    }
    if (first >= 0xE0U && first <= 0xEFU) {
        return 3;
    }
    const bool four = first >= 0xF0U && first <= 0xF4U;
    return four && continues(static_cast<unsigned char>(byte(at + 3))) ? 4 : 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const size_t bytes = sequence_at(text, at);
        valid += bytes == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
    return valid;
}

}  // namespace opweld::npu
