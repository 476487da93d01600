#include "codegen/samples.h"

#include <algorithm>
#include <random>
#include <string>

#include "spec/expression.h"

namespace opweld::codegen {

namespace {

using spec::AttrDesc;
using spec::AttrKind;
using spec::InputDesc;
using spec::InputKind;
using spec::Operator;
using spec::TypeSet;
using spec::expr::Bindings;
using spec::expr::ListValue;
using spec::expr::TensorValue;
using spec::expr::Value;

constexpr int restarts = 400;
constexpr int moves = 400;

opweld::expr::DType expression_dtype(spec::DType dtype) {
    return opweld::expr::dtype_from_name(spec::name(dtype)).value_or(opweld::expr::DType::float32);
}

Value value_of(const spec::Value& value) {
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return {*flag};
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return {*number};
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        return {*number};
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return {*text};
    }
    if (const auto* dtype = std::get_if<spec::DType>(&value.data)) {
        return {expression_dtype(*dtype)};
    }
    if (const auto* items = std::get_if<spec::Value::Items>(&value.data)) {
        ListValue list;
        for (const spec::Value& item : *items) {
            list.push_back(value_of(item));
        }
        return {list};
    }
    return {};
}

// Strings that the operator's rules compare with: candidates for its `str` attributes.
std::vector<std::string> quoted_words(const Operator& op) {
    std::vector<std::string> words;
    for (const spec::Constraint& constraint : op.constraints) {
        const std::string& text = constraint.expr.text;
        for (std::size_t start = 0; start < text.size(); ++start) {
            if (text[start] != '\'' && text[start] != '"') {
                continue;
            }
            const std::size_t end = text.find(text[start], start + 1);
            if (end == std::string::npos) {
                break;
            }
            words.push_back(text.substr(start + 1, end - start - 1));
            start = end;
        }
    }
    return words;
}

class Search {
  public:
    Search(const Operator& op, unsigned seed) : op_(op), words_(quoted_words(op)), random_(seed) {}

    std::vector<Sample> run(std::size_t wanted) {
        std::vector<Sample> found;
        const std::size_t rows = std::max<std::size_t>(1, op_.paired_length());
        for (int restart = 0; restart < restarts && found.size() < wanted; ++restart) {
            row_ = static_cast<std::size_t>(restart) % rows;
            Sample sample = climb();
            if (score(sample) == perfect() && is_new(found, sample)) {
                found.push_back(std::move(sample));
            }
        }
        return found;
    }

  private:
    std::size_t pick(std::size_t count) { return count == 0 ? 0 : random_() % count; }

    TensorValue tensor(const InputDesc& input) {
        TensorValue value;
        const std::size_t rank = pick(4) == 0 ? pick(5) : 1 + pick(3);
        for (std::size_t i = 0; i < rank; ++i) {
            value.shape.push_back(static_cast<std::int64_t>(1 + pick(4)));
        }
        if (!input.types.dtypes.empty()) {
            const std::size_t count = input.types.dtypes.size();
            const std::size_t index = input.types.kind == TypeSet::Kind::Paired ? row_ % count : pick(count);
            value.dtype = expression_dtype(input.types.dtypes[index]);
        }
        return value;
    }

    Value input(const InputDesc& desc) {
        if (desc.bound_to_none || (spec::is_optional(desc.kind) && pick(2) == 0)) {
            return {};
        }
        if (!spec::is_list(desc.kind)) {
            return {tensor(desc)};
        }
        ListValue list;
        const std::size_t length = 1 + pick(3);
        const TensorValue same = tensor(desc);
        const bool equal = pick(2) == 0;
        for (std::size_t i = 0; i < length; ++i) {
            const bool absent = desc.kind == InputKind::ListOfOptionals && i > 0 && pick(3) == 0;
            list.push_back(absent ? Value() : Value(equal ? same : tensor(desc)));
        }
        return {list};
    }

    Value plain(AttrKind kind) {
        switch (kind) {
            case AttrKind::Bool:
                return {pick(2) == 0};
            case AttrKind::Int:
            case AttrKind::SymInt:
                return {static_cast<std::int64_t>(pick(6)) - 1};
            case AttrKind::Float:
                return {0.25 * static_cast<double>(1 + pick(8))};
            case AttrKind::Scalar:
                return pick(2) == 0 ? Value(static_cast<std::int64_t>(1 + pick(3))) : Value(1.5);
            case AttrKind::ScalarType:
                return {pick(2) == 0 ? opweld::expr::DType::float32 : opweld::expr::DType::float16};
            case AttrKind::Str:
                return {words_.empty() ? std::string("a") : words_[pick(words_.size())]};
            case AttrKind::Device:
                return {std::string("cpu")};
            case AttrKind::Layout:
                return {std::string("strided")};
            case AttrKind::MemoryFormat:
                return {std::string("contiguous_format")};
            case AttrKind::Generator:
                return {};
        }
        return {};
    }

    Value list(const AttrDesc& desc, int depth) {
        if (depth == 0) {
            return plain(desc.type.kind);
        }
        ListValue items;
        const std::size_t length =
            desc.type.fixed_size && depth == 1 ? static_cast<std::size_t>(*desc.type.fixed_size) : pick(4);
        for (std::size_t i = 0; i < length; ++i) {
            items.push_back(list(desc, depth - 1));
        }
        return {items};
    }

    Value attr(const AttrDesc& desc) {
        if (desc.bound) {
            return value_of(*desc.bound);
        }
        if (desc.type.kind == AttrKind::Generator || desc.type.kind == AttrKind::Device) {
            return desc.type.optional ? Value() : plain(desc.type.kind);
        }
        const bool own = desc.default_value && pick(2) == 0;
        if (own || (desc.type.optional && pick(3) == 0)) {
            return desc.default_value ? value_of(*desc.default_value) : Value();
        }
        return list(desc, desc.type.list_depth);
    }

    Sample random_sample() {
        Sample sample;
        for (const InputDesc& desc : op_.inputs) {
            sample.inputs.push_back(input(desc));
        }
        for (const AttrDesc& desc : op_.attrs) {
            sample.attrs.push_back(attr(desc));
        }
        return sample;
    }

    // Makes one argument anew, or changes one size to one that is seen elsewhere.
    void change(Sample& sample) {
        const std::size_t at = pick(sample.inputs.size() + sample.attrs.size());
        if (at >= sample.inputs.size()) {
            sample.attrs[at - sample.inputs.size()] = attr(op_.attrs[at - sample.inputs.size()]);
            return;
        }
        auto* tensor = std::get_if<TensorValue>(&sample.inputs[at].data);
        const auto* other = std::get_if<TensorValue>(&sample.inputs[pick(sample.inputs.size())].data);
        if (tensor == nullptr || tensor->shape.empty() || other == nullptr || other->shape.empty() ||
            pick(3) == 0) {
            sample.inputs[at] = input(op_.inputs[at]);
        } else if (pick(4) == 0) {
            tensor->shape = other->shape;
        } else {
            tensor->shape[pick(tensor->shape.size())] = other->shape[pick(other->shape.size())];
        }
    }

    std::size_t perfect() const { return op_.constraints.size() + op_.outputs.size(); }

    // How many constraints hold, and how many outputs have a shape.
    std::size_t score(const Sample& sample) const {
        Bindings bindings;
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            bindings[op_.inputs[i].name] = sample.inputs[i];
        }
        for (std::size_t i = 0; i < op_.attrs.size(); ++i) {
            bindings[op_.attrs[i].name] = sample.attrs[i];
        }
        std::size_t count = 0;
        const auto evaluated = [&](const spec::Expression& expression) {
            return spec::expr::evaluate(expression.checked->expression, bindings);
        };
        for (const spec::Let& let : op_.lets) {
            try {
                bindings[let.name] = evaluated(let.expr);
            } catch (const std::exception&) {
                return 0;
            }
        }
        for (const spec::Constraint& constraint : op_.constraints) {
            try {
                count += evaluated(constraint.expr) == Value(true) ? 1 : 0;
            } catch (const std::exception&) {
                continue;  // a value that does not exist: the constraint does not hold
            }
        }
        for (const spec::OutputDesc& output : op_.outputs) {
            try {
                count += has_shape(output, bindings) ? 1 : 0;
            } catch (const std::exception&) {
                continue;
            }
        }
        return count;
    }

    static bool has_shape(const spec::OutputDesc& output, Bindings bindings) {
        const auto evaluated = [&](const spec::Expression& expression) {
            return spec::expr::evaluate(expression.checked->expression, bindings);
        };
        if (!output.is_tensor()) {
            evaluated(*output.value);
            return true;
        }
        if (output.present && evaluated(*output.present) == Value(false)) {
            return true;
        }
        std::int64_t count = 1;
        if (output.count) {
            count = std::get<std::int64_t>(evaluated(*output.count).data);
        }
        for (std::int64_t i = 0; i < count; ++i) {
            if (output.kind == spec::OutputKind::TensorList) {
                bindings["i"] = Value(i);
            }
            if (output.dtype) {
                evaluated(*output.dtype);
            }
            if (output.shape.kind == spec::ShapeRule::Kind::Expression ||
                output.shape.kind == spec::ShapeRule::Kind::DataDependent) {
                for (const std::int64_t size : spec::expr::to_int_list(evaluated(output.shape.expression))) {
                    if (size < 0 || size > 4096) {
                        return false;
                    }
                }
            }
        }
        return count >= 0 && count <= 16;
    }

    Sample climb() {
        Sample best = random_sample();
        std::size_t best_score = score(best);
        for (int move = 0; move < moves && best_score < perfect(); ++move) {
            Sample next = best;
            change(next);
            const std::size_t next_score = score(next);
            if (next_score >= best_score) {
                best = std::move(next);
                best_score = next_score;
            }
        }
        return best;
    }

    static bool is_new(const std::vector<Sample>& found, const Sample& sample) {
        return std::none_of(found.begin(), found.end(), [&](const Sample& other) {
            return other.inputs == sample.inputs && other.attrs == sample.attrs;
        });
    }

    const Operator& op_;
    std::vector<std::string> words_;
    std::minstd_rand random_;
    std::size_t row_ = 0;
};

}  // namespace

std::vector<Sample> find_samples(const Operator& op, std::size_t wanted, unsigned seed) {
    return Search(op, seed).run(wanted);
}

}  // namespace opweld::codegen
