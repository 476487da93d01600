#include "spec/expr/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace opweld::spec::expr {
namespace {

const Type int_list_type = Type::list(Type::integer());

class CallChecker {
  public:
    CallChecker(Node& node, Report& report) : node_(node), report_(report), info_(info(node.function)) {}

    void run() {
        node_.type = Type::error();
        const auto count = static_cast<int>(node_.children.size());
        if (count < info_.min_arguments || (info_.max_arguments >= 0 && count > info_.max_arguments)) {
            report_(node_.span,
                    fmt::format("{}() does not take {} argument{}", info_.name, count, count == 1 ? "" : "s"),
                    fmt::format("the form is {}", info_.usage));
            return;
        }
        const bool errors = std::any_of(node_.children.begin(), node_.children.end(),
                                        [](const NodePtr& child) { return child->type.is(Kind::error); });
        if (!errors) {
            node_.type = result();
        }
    }

  private:
    Type result() {
        switch (node_.function) {
            case Function::len:
                return list_argument(0) ? Type::integer() : Type::error();
            case Function::min:
            case Function::max:
                return node_.children.size() == 1 ? number_list() : numbers();
            case Function::sum:
            case Function::prod:
                return number_list();
            case Function::abs:
                return numbers();
            case Function::range:
                return ints() ? int_list_type : Type::error();
            case Function::broadcast:
                return shapes();
            case Function::promote:
                return promotable() ? Type::dtype() : Type::error();
            case Function::reduced:
                return reduced();
            case Function::ceil_div:
            case Function::conv_out:
                return ints() ? Type::integer().as_symbolic(any_symbolic(node_)) : Type::error();
            case Function::dtype_of:
                return ints() ? Type::dtype() : Type::error();
        }
        return Type::error();
    }

    Type refuse(const Node& argument, std::string_view wanted, std::string hint = {}) {
        if (report_.require_present(argument)) {
            report_(argument.span,
                    fmt::format("{}() needs {}, '{}' is {}", info_.name, wanted, report_.text_of(argument),
                                argument.type.described()),
                    hint.empty() ? fmt::format("the form is {}", info_.usage) : std::move(hint));
        }
        return Type::error();
    }

    bool list_argument(std::size_t index) {
        const Node& argument = *node_.children[index];
        if (argument.type.is(Kind::list)) {
            return true;
        }
        refuse(argument, "a list",
               argument.type.is(Kind::tensor)
                   ? fmt::format("its sizes are {}.shape", report_.text_of(argument))
                   : std::string{});
        return false;
    }

    Type number_list() {
        NodePtr& argument = node_.children[0];
        if (argument->type.is_list_of(Kind::never)) {
            convert(argument, int_list_type);
        }
        if (!argument->type.is_list_of(Kind::integer) && !argument->type.is_list_of(Kind::floating)) {
            return refuse(*argument, "a list of numbers");
        }
        return argument->type.element();
    }

    Type numbers() {
        Type type = Type::never();
        for (NodePtr& argument : node_.children) {
            if (!argument->type.is_number()) {
                return refuse(*argument, "numbers");
            }
            if (argument->type.is(Kind::scalar)) {
                convert(argument, Type::floating());
            }
            type = *common_type(type, argument->type);
        }
        for (NodePtr& argument : node_.children) {
            convert(argument, type);
        }
        return type;
    }

    bool ints() {
        bool good = true;
        for (const NodePtr& argument : node_.children) {
            if (!argument->type.is(Kind::integer)) {
                refuse(*argument, "ints");
                good = false;
            }
        }
        return good;
    }

    bool shape_argument(NodePtr& argument) {
        if (argument->type.is(Kind::tensor)) {
            argument = wrap(NodeKind::shape, std::move(argument), Type::list(Type::sym_int()));
            return true;
        }
        if (argument->type.is_list_of(Kind::integer)) {
            return true;
        }
        if (argument->type.is_list_of(Kind::never)) {
            return convert(argument, int_list_type);
        }
        refuse(*argument, "a shape or a tensor");
        return false;
    }

    Type shapes() {
        bool good = true;
        for (NodePtr& argument : node_.children) {
            good = shape_argument(argument) && good;
        }
        return good ? int_list_type.as_symbolic() : Type::error();
    }

    bool promotable() {
        bool good = true;
        for (const NodePtr& argument : node_.children) {
            const Type& type = argument->type;
            if (!type.is_number() && !type.is(Kind::tensor) && !type.is(Kind::dtype) &&
                !type.is(Kind::boolean)) {
                refuse(*argument, "tensors, dtypes or numbers");
                good = false;
            }
        }
        return good;
    }

    Type reduced() {
        NodePtr& dims = node_.children[1];
        bool good = shape_argument(node_.children[0]);
        if (!convert(dims, int_list_type) && !convert(dims, Type::optional(int_list_type))) {
            refuse(*dims, "a list of dimensions, or None",
                   dims->type.is(Kind::integer) ? fmt::format("write [{}]", report_.text_of(*dims))
                                                : std::string{});
            good = false;
        }
        if (!node_.children[2]->type.is(Kind::boolean)) {
            refuse(*node_.children[2], "a bool for keepdim");
            good = false;
        }
        return good ? int_list_type.as_symbolic(node_.children[0]->type.symbolic()) : Type::error();
    }

    Node& node_;
    Report& report_;
    const FunctionInfo& info_;
};

}  // namespace

void check_call(Node& node, Report& report) { CallChecker(node, report).run(); }

}  // namespace opweld::spec::expr
