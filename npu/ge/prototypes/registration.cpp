#include <map>
#include <mutex>
#include <string>

#include "graph/operator_factory.h"
#include "npu/ge/abi/operator_impl.h"
#include "npu/ge/prototypes/functions.h"
#include "npu/ge/prototypes/loading.h"
#include "npu/ge/prototypes/registry.h"

namespace opweld::npu::prototypes {

namespace {

struct Table {
    std::mutex mutex;
    std::map<std::string, Functions, std::less<>> functions;
};

// Never destroyed: libraries register before and are asked after anything static of ours.
Table& table() {
    static auto* const instance = new Table;
    return *instance;
}

// The first library that registers a function for a type keeps it, like the type itself.
template <class Function>
void keep(const char* type, Function Functions::* member, const Function& function) {
    const std::lock_guard lock(table().mutex);
    Function& place = table().functions[type == nullptr ? "" : type].*member;
    if (!place) {
        place = function;
    }
}

}  // namespace

Functions functions(std::string_view type) {
    const std::lock_guard lock(table().mutex);
    const auto found = table().functions.find(type);
    return found == table().functions.end() ? Functions() : found->second;
}

namespace {

void register_type(const char* type, const ::ge::OpCreator& create) {
    const ::ge::Operator op = create(::ge::AscendString(type));
    if (op.IsEmpty()) {
        return report(std::string("operator type ") + type + ": its prototype makes no operator");
    }
    const auto& impl = ::ge::OperatorImpl::of(op);
    if (!impl->fault.empty()) {
        return report(std::string("operator type ") + type + ": " + impl->fault);
    }
    Prototype prototype = impl->prototype;
    prototype.library = loading();
    if (const Prototype* before = add(prototype)) {
        if (!same_interface(*before, prototype)) {
            report_second(*before, prototype);
        }
        return;
    }
    keep(type, &Functions::create, create);
}

}  // namespace

}  // namespace opweld::npu::prototypes

namespace ge {

using opweld::npu::prototypes::Functions;
using opweld::npu::prototypes::keep;

OperatorCreatorRegister::OperatorCreatorRegister(const char* type, const OpCreator& creator) {
    try {
        opweld::npu::prototypes::register_type(type, creator);
    } catch (const std::exception& error) {  // a static object's constructor: nobody could catch it
        opweld::npu::prototypes::report(std::string("operator type ") + type + ": " + error.what());
    }
}

InferShapeFuncRegister::InferShapeFuncRegister(const char* type, const InferShapeFunc& function) {
    keep(type, &Functions::infer_shape, function);
}

InferFormatFuncRegister::InferFormatFuncRegister(const char* type, const InferFormatFunc& function) {
    keep(type, &Functions::infer_format, function);
}

VerifyFuncRegister::VerifyFuncRegister(const char* type, const VerifyFunc& function) {
    keep(type, &Functions::verify, function);
}

}  // namespace ge
