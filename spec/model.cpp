#include "spec/model.h"

#include <algorithm>

#include "spec/names.h"

namespace opweld::spec {
namespace {

template <typename Parts>
std::optional<std::size_t> find_by_name(const Parts& parts, std::string_view wanted) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.name == wanted; });
    return found == parts.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - parts.begin()));
}

}  // namespace

std::optional<std::size_t> Operator::find_input(std::string_view wanted) const {
    return find_by_name(inputs, wanted);
}
std::optional<std::size_t> Operator::find_attr(std::string_view wanted) const {
    return find_by_name(attrs, wanted);
}
std::optional<std::size_t> Operator::find_output(std::string_view wanted) const {
    return find_by_name(outputs, wanted);
}

bool Operator::has_tensor_argument() const {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](const Argument& argument) { return argument.from == Argument::From::Input; });
}

bool Operator::mutates() const {
    return std::any_of(inputs.begin(), inputs.end(), [](const InputDesc& input) { return input.mutates; });
}

std::size_t Operator::paired_length() const {
    std::size_t length = 0;
    for (const InputDesc& input : inputs) {
        if (input.types.kind == TypeSet::Kind::Paired) {
            length = std::max(length, input.types.dtypes.size());
        }
    }
    return length;
}

const Operator* Package::find(std::string_view wanted) const {
    const OperatorName full = split_operator_name(wanted);
    const auto found = std::find_if(ops.begin(), ops.end(), [&](const Operator& op) {
        return op.name == full.name && op.ns == full.ns && op.overload == full.overload;
    });
    return found == ops.end() ? nullptr : &*found;
}

std::string_view name(Autocast autocast) {
    switch (autocast) {
        case Autocast::None:
            return "none";
        case Autocast::Lower:
            return "lower";
        case Autocast::Fp32:
            return "fp32";
        case Autocast::Promote:
            return "promote";
    }
    return "none";
}

std::string_view name(KernelLanguage language) {
    switch (language) {
        case KernelLanguage::Cpp:
            return "cpp";
        case KernelLanguage::AscendC:
            return "ascendc";
        case KernelLanguage::Compose:
            return "compose";
        case KernelLanguage::Aclnn:
            return "aclnn";
    }
    return "cpp";
}

}  // namespace opweld::spec
