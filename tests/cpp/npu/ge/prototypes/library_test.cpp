// Prototype libraries in the folders of vendor packages: found, loaded, asked.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "graph/operator_factory.h"
#include "npu/ge/prototypes/instance.h"
#include "npu/ge/prototypes/loading.h"
#include "npu/ge/prototypes/registry.h"

namespace {

namespace fs = std::filesystem;
using namespace opweld::npu::prototypes;
using Dims = std::vector<std::int64_t>;

// Vendor folders of one test, and an environment that names them.
class Libraries : public testing::Test {
  protected:
    Libraries() : root_(fs::temp_directory_path() / ("opweld_prototypes_" + std::to_string(getpid()))) {
        fs::remove_all(root_);
        fs::create_directories(root_);
        unsetenv("ASCEND_CUSTOM_OPP_PATH");
        unsetenv("ASCEND_OPP_PATH");
    }
    ~Libraries() override { fs::remove_all(root_); }

    fs::path install(const char* library, const fs::path& place) {
        const fs::path target = root_ / place;
        fs::create_directories(target.parent_path());
        fs::copy_file(library, target, fs::copy_options::overwrite_existing);
        return target;
    }
    static void set(const char* name, const fs::path& value) { setenv(name, value.c_str(), 1); }
    const fs::path& root() const { return root_; }

  private:
    fs::path root_;
};

std::string faults_of_loading() {
    try {
        load_prototype_libraries();
    } catch (const opweld::npu::AclException& error) {
        return error.what();
    }
    return "";
}

TEST_F(Libraries, AreFoundInTheOrderThatTheyCount) {
    const fs::path custom = install(OPW_LIBRARY, "mine/op_proto/lib/linux/x86_64/libcust_opsproto.so");
    install(OPW_LIBRARY, "mine/op_proto/lib/linux/aarch64/libcust_opsproto.so");
    const fs::path last = install(OPW_LIBRARY, "opp/vendors/alpha/op_proto/libalpha.so");
    const fs::path first = install(OPW_LIBRARY, "opp/vendors/beta/op_proto/lib/linux/x86_64/libbeta.so");
    const fs::path old = install(OPW_LIBRARY, "opp/op_proto/custom/libold.so");
    install(OPW_LIBRARY, "opp/vendors/beta/op_api/lib/libcust_opapi.so");
    std::ofstream(root() / "opp/vendors/config.ini") << "load_priority=beta, absent\n";
    set("ASCEND_CUSTOM_OPP_PATH", (root() / "nowhere").string() + ":" + (root() / "mine").string() + ":");
    set("ASCEND_OPP_PATH", root() / "opp");
    EXPECT_EQ(prototype_libraries(), (std::vector<fs::path>{custom, first, last, old}));
}

TEST_F(Libraries, AddTheirTypes) {
    const fs::path library = install(OPW_LIBRARY, "mine/op_proto/libmine.so");
    set("ASCEND_CUSTOM_OPP_PATH", root() / "mine");
    EXPECT_EQ(faults_of_loading(), "");
    EXPECT_EQ(faults_of_loading(), "");
    const Prototype* prototype = find("OpwTestEverything");
    ASSERT_NE(prototype, nullptr);
    EXPECT_EQ(prototype->library, library);
    ASSERT_EQ(prototype->inputs.size(), 3U);
    EXPECT_EQ(prototype->inputs[0].dtypes, (std::vector<ge::DataType>{ge::DT_FLOAT, ge::DT_FLOAT16}));
    EXPECT_EQ(prototype->inputs[1].kind, PortKind::kOptional);
    EXPECT_EQ(prototype->inputs[2].kind, PortKind::kDynamic);
    EXPECT_EQ(prototype->inputs[2].symbol, "T");
    EXPECT_EQ(prototype->inputs[2].dtypes, std::vector<ge::DataType>{ge::DT_BF16});
    ASSERT_EQ(prototype->outputs.size(), 2U);
    std::string attributes;
    for (const Attribute& attribute : prototype->attributes) {
        attributes += attribute.name + " " + attribute.type + (attribute.required ? "!" : "") + "\n";
    }
    EXPECT_EQ(attributes,
              "integer VT_INT\nreal VT_FLOAT\ntext VT_STRING\nflag VT_BOOL\ndtype VT_DATA_TYPE\n"
              "integers VT_LIST_INT\nreals VT_LIST_FLOAT\ntexts VT_LIST_STRING\nflags VT_LIST_BOOL\n"
              "dtypes VT_LIST_DATA_TYPE\ntable VT_LIST_LIST_INT\ntensor VT_TENSOR\nmust VT_LIST_LIST_INT!\n");
    EXPECT_EQ(std::get<std::vector<std::string>>(prototype->attributes[7].default_value),
              (std::vector<std::string>{"a", "b"}));
}

TEST_F(Libraries, WithFaultsAreNamed) {
    install(OPW_LIBRARY, "a/op_proto/liba.so");
    const fs::path broken = install(OPW_BROKEN_LIBRARY, "b/op_proto/libbroken.so");
    const fs::path second = install(OPW_SECOND_LIBRARY, "b/op_proto/libsecond.so");
    set("ASCEND_CUSTOM_OPP_PATH", (root() / "a").string() + ":" + (root() / "b").string());
    testing::internal::CaptureStderr();
    const std::string faults = faults_of_loading();
    const std::string warnings = testing::internal::GetCapturedStderr();
    EXPECT_NE(faults.find(broken.string() + " cannot be loaded: "), std::string::npos) << faults;
    EXPECT_NE(faults.find("no_such_function"), std::string::npos) << faults;
    EXPECT_NE(faults.find(second.string() + ": operator type OpwTestBranch: it has the graph body inside"),
              std::string::npos)
        << faults;
    EXPECT_NE(faults.find("OpwTestStrange: attribute n has the unknown type Matrix"), std::string::npos)
        << faults;
    EXPECT_NE(warnings.find("operator type OpwTestEverything of " + second.string() + " is left out: "),
              std::string::npos)
        << warnings;
    EXPECT_NE(find("OpwTestOwn"), nullptr);
    EXPECT_EQ(find("OpwTestBranch"), nullptr);
    EXPECT_EQ(find("OpwTestEverything")->inputs.size(), 3U);
}

class Inference : public Libraries {
  protected:
    Inference() {
        install(OPW_LIBRARY, "mine/op_proto/libmine.so");
        set("ASCEND_CUSTOM_OPP_PATH", root() / "mine");
        load_prototype_libraries();
        prototype_ = find("OpwTestSum");
    }

    static ge::TensorDesc desc(const Dims& dims) {
        return ge::TensorDesc(ge::Shape(dims), ge::FORMAT_ND, ge::DT_FLOAT16);
    }
    std::string fault(const Instance& instance) const {
        try {
            infer(*prototype_, instance);
        } catch (const opweld::npu::AclException& error) {
            return error.what();
        }
        return "";
    }

    const Prototype* prototype_ = nullptr;
};

TEST_F(Inference, SeesInputsAttributesAndConstants) {
    Instance instance{
        .name = "sum", .inputs = {{"x", desc({4}), {}}}, .attributes = {}, .dynamic_outputs = {}};
    std::vector<ge::TensorDesc> outputs = infer(*prototype_, instance);
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(outputs[0].GetShape().GetDims(), (Dims{1, 0, -1}));
    EXPECT_EQ(outputs[0].GetDataType(), ge::DT_FLOAT16);

    const std::int64_t size = 7;
    instance.inputs.push_back(
        {"size", desc({}), ge::Tensor(desc({}), reinterpret_cast<const std::uint8_t*>(&size), sizeof size)});
    instance.inputs.push_back({"parts0", desc({1}), {}});
    instance.inputs.push_back({"parts1", desc({1}), {}});
    instance.attributes["rows"] = std::int64_t{5};
    instance.dynamic_outputs["pieces"] = 2;
    outputs = infer(*prototype_, instance);
    ASSERT_EQ(outputs.size(), 3U);
    EXPECT_EQ(outputs[0].GetShape().GetDims(), (Dims{5, 2, 7}));
    EXPECT_EQ(outputs[2].GetShape().GetDims(), (Dims{4}));
}

TEST_F(Inference, RefusesWhatDoesNotFit) {
    EXPECT_EQ(fault({.name = "sum", .inputs = {}, .attributes = {}, .dynamic_outputs = {}}),
              "operator sum (OpwTestSum): input x is missing");
    EXPECT_EQ(fault({.name = "sum",
                     .inputs = {{"x", desc({4}), {}}, {"z", desc({4}), {}}},
                     .attributes = {},
                     .dynamic_outputs = {}}),
              "operator sum (OpwTestSum): its prototype has no input z");
    const std::string failed = fault({.name = "sum",
                                      .inputs = {{"x", desc({4}), {}}},
                                      .attributes = {{"rows", std::int64_t{-1}}},
                                      .dynamic_outputs = {}});
    EXPECT_NE(failed.find("operator sum (OpwTestSum): the verifier of "), std::string::npos) << failed;
    prototype_ = find("OpwTestEverything");
    EXPECT_NE(fault({.name = "all", .inputs = {}, .attributes = {}, .dynamic_outputs = {}})
                  .find("no InferShape function is registered for it in "),
              std::string::npos);
}

TEST_F(Inference, UsesTheFactorysOperators) {
    EXPECT_TRUE(ge::OperatorFactory::IsExistOp("OpwTestSum"));
    EXPECT_FALSE(ge::OperatorFactory::IsExistOp("OpwTestNone"));
    EXPECT_TRUE(ge::OperatorFactory::CreateOperator("a", "OpwTestNone").IsEmpty());
    for (const char* type : {"OpwTestSum", "MatMulV2"}) {
        ge::Operator op = ge::OperatorFactory::CreateOperator("a", type);
        ASSERT_FALSE(op.IsEmpty());
        ge::AscendString name;
        EXPECT_EQ(op.GetName(name), ge::GRAPH_SUCCESS);
        EXPECT_STREQ(name.GetString(), "a");
        EXPECT_EQ(op.GetOpType(), type);
        EXPECT_EQ(op.UpdateInputDesc("no_such_input", ge::TensorDesc()), ge::GRAPH_FAILED);
        std::map<ge::AscendString, ge::AscendString> attributes;
        EXPECT_EQ(op.GetAllIrAttrNamesAndTypes(attributes), ge::GRAPH_SUCCESS);
        EXPECT_FALSE(attributes.empty());
    }
    ge::Operator matmul = ge::OperatorFactory::CreateOperator("a", "MatMulV2");
    ge::TensorDesc found;
    EXPECT_EQ(matmul.TryGetInputDesc("bias", found), ge::GRAPH_FAILED);
    EXPECT_EQ(matmul.UpdateInputDesc("bias", desc({3})), ge::GRAPH_SUCCESS);
    EXPECT_EQ(matmul.TryGetInputDesc("bias", found), ge::GRAPH_SUCCESS);
    EXPECT_EQ(found.GetShape().GetDims(), (Dims{3}));
    bool transpose = true;
    EXPECT_EQ(matmul.GetAttr("transpose_x1", transpose), ge::GRAPH_SUCCESS);
    EXPECT_FALSE(transpose);
    std::int64_t wrong = 0;
    EXPECT_EQ(matmul.GetAttr("transpose_x1", wrong), ge::GRAPH_FAILED);
    std::vector<ge::AscendString> all;
    EXPECT_EQ(ge::OperatorFactory::GetOpsTypeList(all), ge::GRAPH_SUCCESS);
    EXPECT_GT(all.size(), 1600U);
}

}  // namespace
