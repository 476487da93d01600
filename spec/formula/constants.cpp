#include "spec/formula/constants.h"

#include <algorithm>
#include <array>

namespace opweld::spec::formula {
namespace {

constexpr std::array<Constant, 23> table{{
    {"kFloat", "torch.float32"},
    {"kHalf", "torch.float16"},
    {"kBFloat16", "torch.bfloat16"},
    {"kDouble", "torch.float64"},
    {"kByte", "torch.uint8"},
    {"kChar", "torch.int8"},
    {"kShort", "torch.int16"},
    {"kInt", "torch.int32"},
    {"kLong", "torch.int64"},
    {"kUInt16", "torch.uint16"},
    {"kUInt32", "torch.uint32"},
    {"kUInt64", "torch.uint64"},
    {"kBool", "torch.bool"},
    {"kComplexHalf", "torch.complex32"},
    {"kComplexFloat", "torch.complex64"},
    {"kComplexDouble", "torch.complex128"},
    {"Reduction::None", "0"},
    {"Reduction::Mean", "1"},
    {"Reduction::Sum", "2"},
    {"MemoryFormat::Contiguous", "torch.contiguous_format"},
    {"MemoryFormat::Preserve", "torch.preserve_format"},
    {"MemoryFormat::ChannelsLast", "torch.channels_last"},
    {"MemoryFormat::ChannelsLast3d", "torch.channels_last_3d"},
}};

}  // namespace

std::optional<Constant> find_constant(std::string_view name) {
    const auto* const found = std::find_if(table.begin(), table.end(),
                                           [&](const Constant& constant) { return constant.name == name; });
    return found == table.end() ? std::nullopt : std::optional(*found);
}

}  // namespace opweld::spec::formula
