// PyTorch schema strings.
#include "spec/schema.h"

#include "spec/attr_types.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

TEST(SchemaParser, Arguments) {
    const SchemaResult result = parse_schema(
        "npu::f.out(Tensor self, Tensor?[] xs, int[2] k=[1, 2], *, str s=\"a,)\", float e=1e-05, Tensor(a!) "
        "out) -> "
        "(Tensor(a!), Tensor y)");
    ASSERT_TRUE(result.schema) << result.fault;
    const Schema& schema = *result.schema;
    EXPECT_EQ(schema.name, "npu::f");
    EXPECT_EQ(schema.overload, "out");
    ASSERT_EQ(schema.arguments.size(), 6U);
    EXPECT_EQ(schema.arguments[1].type.suffix, "?[]");
    EXPECT_EQ(schema.arguments[2].default_text, "[1, 2]");
    EXPECT_FALSE(schema.arguments[2].keyword_only);
    EXPECT_TRUE(schema.arguments[3].keyword_only);
    EXPECT_EQ(schema.arguments[3].default_text, "\"a,)\"");
    EXPECT_EQ(schema.arguments[5].type.alias, "a!");
    EXPECT_TRUE(schema.arguments[5].type.writes());
    ASSERT_EQ(schema.returns.size(), 2U);
    EXPECT_EQ(schema.returns[1].name, "y");
    EXPECT_TRUE(parse_schema("f() -> ()").schema->returns.empty());
    EXPECT_EQ(parse_schema("f(Tensor(a -> *) x) -> Tensor(*)[]").schema->arguments[0].type.alias, "a -> *");
}

TEST(SchemaParser, Faults) {
    EXPECT_EQ(parse_schema("").offset, 0U);
    EXPECT_EQ(parse_schema("f(Tensor x -> Tensor").fault, "')' is missing");
    EXPECT_EQ(parse_schema("f(Tensor x) Tensor").fault, "'->' is missing");
    EXPECT_EQ(parse_schema("f(x: Tensor) -> Tensor").fault, "the type stands before the name: 'Tensor x'");
    EXPECT_EQ(parse_schema("f(Tensor x=) -> Tensor").fault, "a default value is missing");
    EXPECT_EQ(parse_schema("f(*, *, int x) -> Tensor").fault, "a second '*'");
    EXPECT_EQ(parse_schema("f(Tensor(a x) -> Tensor").schema, std::nullopt);
    EXPECT_EQ(parse_schema("f(int[3 x) -> Tensor").fault, "a '[' is not closed");
    EXPECT_EQ(parse_schema("f() -> Tensor x y").schema, std::nullopt);
    EXPECT_EQ(parse_schema("f(str s=\"a\\").schema, std::nullopt);
}

Value value(std::string_view text, std::string_view type) {
    return schema_value(text, *parse_attr_type(type).type).value_or(Value{std::string("none")});
}

TEST(SchemaValues, ReadAndWritten) {
    EXPECT_EQ(value("True", "bool"), Value{true});
    EXPECT_EQ(value("-3", "int"), Value{std::int64_t{-3}});
    EXPECT_EQ(value("1e-05", "float"), Value{1e-05});
    EXPECT_EQ(value("1.", "float"), Value{1.0});
    EXPECT_EQ(value("\"a\\\"b\"", "str"), Value{std::string("a\"b")});
    EXPECT_EQ(value("None", "int?"), Value{None{}});
    EXPECT_EQ(value("Mean", "int"), Value{std::int64_t{1}});
    EXPECT_EQ(value("6", "ScalarType"), Value{DType::Float32});
    EXPECT_EQ(value("long", "ScalarType"), Value{DType::Int64});
    EXPECT_EQ(value("contiguous_format", "MemoryFormat"), Value{std::string("contiguous_format")});
    EXPECT_EQ(value("2", "MemoryFormat"), Value{std::string("channels_last")});
    EXPECT_EQ(value("strided", "Layout"), Value{std::string("strided")});
    EXPECT_EQ(value("\"privateuseone:1\"", "Device"), Value{std::string("npu:1")});
    EXPECT_EQ(value("[1, 2]", "int[]"),
              (Value{Value::Items{Value{std::int64_t{1}}, Value{std::int64_t{2}}}}));
    EXPECT_EQ(value("1", "int[2]"), (Value{Value::Items{Value{std::int64_t{1}}, Value{std::int64_t{1}}}}));
    EXPECT_EQ(value("[]", "int[2]"), (Value{Value::Items{}}));
    EXPECT_EQ(schema_text(Value{1.0}, *parse_attr_type("float").type), "1.0");
    EXPECT_EQ(schema_text(Value{std::string("npu")}, *parse_attr_type("Device").type), "\"privateuseone\"");
}

std::string with_schema(std::string_view schema) {
    return "  - op: npu_one\n"
           "    input_desc: [{name: x}, {name: w, param_type: optional}]\n"
           "    attr: [{name: n, type: int, default_value: 3}, {name: p, type: float}]\n"
           "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n"
           "    schema: \"" +
           std::string(schema) + "\"\n";
}

TEST(StatedSchema, DecidesOrderAndKeywords) {
    const Package package =
        good(with_schema("npu_one(float p, Tensor x, int n=3, *, Tensor? w) -> Tensor y"));
    const Operator& op = package.ops[0];
    EXPECT_TRUE(op.schema_given);
    EXPECT_EQ(op.schema, "npu_one(float p, Tensor x, int n=3, *, Tensor? w) -> Tensor");
    ASSERT_EQ(op.arguments.size(), 4U);
    EXPECT_EQ(op.arguments[0].from, Argument::From::Attr);
    EXPECT_EQ(op.arguments[0].index, 1U);
    EXPECT_TRUE(op.arguments[3].keyword_only);
    EXPECT_FALSE(op.arguments[3].default_value);
    EXPECT_TRUE(good(with_schema("npu::npu_one(Tensor x, Tensor? w=None, *, int n=3, float p) -> Tensor"))
                    .ops[0]
                    .schema_given);
}

TEST(StatedSchema, MustAgree) {
    const std::vector<std::string> mismatch = {"OW214"};
    EXPECT_EQ(errors(with_schema("npu_two(Tensor x, Tensor? w=None, *, int n=3, float p) -> Tensor")),
              mismatch);
    EXPECT_EQ(errors(with_schema("npu_one(Tensor x, *, int n=3, float p) -> Tensor")), mismatch);
    EXPECT_EQ(errors(with_schema("npu_one(Tensor x, Tensor w, *, int n=3, float p) -> Tensor")), mismatch);
    EXPECT_EQ(errors(with_schema("npu_one(Tensor x, Tensor? w=None, *, int n, float p) -> Tensor")),
              mismatch);
    EXPECT_EQ(errors(with_schema("npu_one(Tensor x, Tensor? w=None, *, int n=3, float p) -> Tensor[]")),
              mismatch);
    EXPECT_EQ(errors(with_schema("npu_one(Tensor x, Tensor? w=None, *, int n=3, float p")),
              std::vector<std::string>{"OW213"});
}

}  // namespace
}  // namespace opweld::spec::test
