#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npu/aclnn/call/check_attention.h"
#include "tests/cpp/npu/kernels/checks.h"

namespace opweld::npu::aclnn::test {
namespace {

using ::testing::HasSubstr;

// Batch 2, 4 heads of the query and 2 of the key, 6 queries, 7 keys, depth 8, value depth 4.
class AttentionChecks : public ::testing::Test {
  protected:
    check::AttentionArguments valid(std::string_view layout) {
        const auto shaped = [&](int64_t heads, int64_t tokens, int64_t depth) -> std::vector<int64_t> {
            if (layout == "BNSD") {
                return {2, heads, tokens, depth};
            }
            if (layout == "BSND") {
                return {2, tokens, heads, depth};
            }
            if (layout == "TND") {
                return {tokens, heads, depth};
            }
            return layout == "BSH" ? std::vector<int64_t>{2, tokens, heads * depth}
                                   : std::vector<int64_t>{tokens, 2, heads * depth};
        };
        const std::vector<int64_t> statistics =
            layout == "TND" ? std::vector<int64_t>{6, 4, 8} : std::vector<int64_t>{2, 4, 6, 8};
        out_shape_ = shaped(4, 6, 4);
        return {.query = make_("query", shaped(4, 6, 8)),
                .key = make_("key", shaped(2, 7, 8)),
                .value = make_("value", shaped(2, 7, 4)),
                .pse = Operands::none("pse"),
                .drop_mask = Operands::none("dropMask"),
                .padding_mask = Operands::none("paddingMask"),
                .atten_mask = Operands::none("attenMask"),
                .softmax_max = make_("softmaxMax", statistics),
                .softmax_sum = make_("softmaxSum", statistics),
                .prefix = {},
                .query_ends = {},
                .key_ends = {},
                .keep_prob = 1.0,
                .heads = 4,
                .layout = layout,
                .sparse_mode = 0};
    }

    std::string refuse(const check::AttentionArguments& arguments) {
        const Operand out = make_("attentionOut", out_shape_);
        return refusal([&] { check::attention(arguments, out); });
    }

    Operands make_;
    std::vector<int64_t> out_shape_;
};

TEST_F(AttentionChecks, AcceptsEachLayout) {
    for (const char* layout : {"BNSD", "BSND", "BSH", "SBH"}) {
        EXPECT_EQ(refuse(valid(layout)), "") << layout;
    }
    auto ragged = valid("TND");
    const std::vector<int64_t> query_ends{2, 6, 0};
    const std::vector<int64_t> key_ends{3, 7, 0};
    ragged.query_ends = query_ends;
    ragged.key_ends = key_ends;
    EXPECT_EQ(refuse(ragged), "");
}

TEST_F(AttentionChecks, NamesWhatDoesNotFit) {
    auto a = valid("BNSD");
    a.layout = "NSD";
    EXPECT_THAT(refuse(a), HasSubstr("'inputLayout' is 'NSD'"));
    a = valid("BNSD");
    a.heads = 8;
    EXPECT_THAT(refuse(a), HasSubstr("headNum"));
    a = valid("BNSD");
    a.key = make_("key", {2, 3, 7, 8});
    a.value = make_("value", {2, 3, 7, 4});
    EXPECT_THAT(refuse(a), HasSubstr("'query' has 4 heads, expected a multiple of the key's 3"));
    a = valid("BNSD");
    a.key = make_("key", {2, 2, 9, 8});
    EXPECT_THAT(refuse(a), HasSubstr("'key' and 'value' have 9 and 7 tokens"));
    a = valid("BSH");
    a.key = make_("key", {2, 7, 12});
    EXPECT_THAT(refuse(a), HasSubstr("multiple of the query's 8 a head"));
    a = valid("BNSD");
    a.key = make_("key", {2, 2, 7, 8}, OPWELD_FLOAT16);
    EXPECT_THAT(refuse(a), HasSubstr("key"));
    a = valid("BNSD");
    a.softmax_sum = make_("softmaxSum", {2, 4, 6});
    EXPECT_THAT(refuse(a), HasSubstr("softmaxSum"));
}

TEST_F(AttentionChecks, NamesWhatIsNotSupported) {
    auto a = valid("BNSD");
    a.padding_mask = make_("paddingMask", {2, 4, 6, 7});
    EXPECT_THAT(refuse(a), HasSubstr("'paddingMask' is not supported"));
    a = valid("BNSD");
    a.sparse_mode = 7;
    EXPECT_THAT(refuse(a), HasSubstr("'sparseMode' is 7, which is not supported"));
    a = valid("BNSD");
    a.pse_type = 2;
    EXPECT_THAT(refuse(a), HasSubstr("'pseType' is 2, which is not supported"));
    a = valid("BNSD");
    a.pse = make_("pse", {2, 4, 1024, 7});
    EXPECT_THAT(refuse(a), HasSubstr("alibi"));
    const Operand sink = make_("sink", {4});
    EXPECT_THAT(refusal([&] { check::not_supported({sink}); }), HasSubstr("'sink' is not supported"));
    const Operand empty = make_("queryRope", {0});
    EXPECT_EQ(refusal([&] { check::not_supported({empty, Operands::none("sink")}); }), "");
}

TEST_F(AttentionChecks, MasksFitTheirMode) {
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{6, 7}, {2, 4, 6, 7}, {2, 1, 6, 7}, {1, 1, 6, 7}, {2, 1, 1, 7}}) {
        auto a = valid("BNSD");
        a.atten_mask = make_("attenMask", shape, OPWELD_BOOL);
        EXPECT_EQ(refuse(a), "");
        a.sparse_mode = 2;
        EXPECT_THAT(refuse(a), HasSubstr("attenMask"));
    }
    auto a = valid("BNSD");
    a.atten_mask = make_("attenMask", {6, 8}, OPWELD_BOOL);
    EXPECT_THAT(refuse(a), HasSubstr("'attenMask' has the shape [6, 8]"));
    a.atten_mask = make_("attenMask", {2048, 2048}, OPWELD_BOOL);
    a.sparse_mode = 4;
    EXPECT_EQ(refuse(a), "");
    a.sparse_mode = 6;
    EXPECT_THAT(refuse(a), HasSubstr("'prefix' has 0 numbers, expected one for each of 2 batches"));
    const std::vector<int64_t> prefix{1, 2};
    a.prefix = prefix;
    a.atten_mask = make_("attenMask", {3072, 2048}, OPWELD_BOOL);
    EXPECT_EQ(refuse(a), "");
}

TEST_F(AttentionChecks, DropoutNeedsItsMask) {
    auto a = valid("BNSD");
    a.keep_prob = 0.5;
    EXPECT_THAT(refuse(a), HasSubstr("'dropMask' is null"));
    a.makes_dropout = true;
    EXPECT_EQ(refuse(a), "");
    a.drop_mask = make_("dropMask", {41}, OPWELD_UINT8);
    EXPECT_THAT(refuse(a), HasSubstr("'dropMask' has 41 bytes, expected a bit for each of 336 scores"));
    a.drop_mask = make_("dropMask", {42}, OPWELD_UINT8);
    EXPECT_EQ(refuse(a), "");
    a.keep_prob = 0;
    EXPECT_THAT(refuse(a), HasSubstr("'keepProb' is 0"));
}

TEST_F(AttentionChecks, EndsOfSequencesGrow) {
    const auto ends = [&](std::vector<int64_t> query, std::vector<int64_t> key) {
        auto a = valid("TND");
        a.query_ends = query;
        a.key_ends = key;
        return refuse(a);
    };
    EXPECT_THAT(ends({}, {}), HasSubstr("actualSeqQLen"));
    EXPECT_THAT(ends({6}, {3, 7}), HasSubstr("have 1 and 2 numbers"));
    EXPECT_THAT(ends({4, 3}, {3, 7}), HasSubstr("'actualSeqQLen' has 3 after 4"));
    EXPECT_THAT(ends({4, 6}, {3, 8}), HasSubstr("'actualSeqKvLen' has 8 after 3"));
    EXPECT_THAT(ends({4, 0, 6}, {3, 0, 7}), HasSubstr("'actualSeqQLen' has 6 after 4"));
}

TEST_F(AttentionChecks, GradientsLookLikeTheirTensors) {
    const auto a = valid("BNSD");
    const Operand none = Operands::none("dpse");
    const auto refuse_key = [&](const Operand& key) {
        return refusal(
            [&] { check::attention_gradients(a.query, a.key, a.value, a.pse, a.query, key, a.value, none); });
    };
    EXPECT_EQ(refuse_key(a.key), "");
    EXPECT_THAT(refuse_key(make_("dk", {2, 4, 7, 8})), HasSubstr("'dk'"));
    const Operand pse = make_("pse", {2, 4, 6, 7});
    EXPECT_THAT(refusal([&] {
                    check::attention_gradients(a.query, a.key, a.value, pse, a.query, a.key, a.value, none);
                }),
                HasSubstr("'dpse' is null"));
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
