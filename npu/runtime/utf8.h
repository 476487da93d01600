// Messages must be UTF-8: whoever shows them (Python above all) refuses other bytes.
#pragma once

#include <string>
#include <string_view>

namespace opweld::npu {

// The text with each byte that belongs to no UTF-8 sequence replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace opweld::npu
