// Generated files compile without a warning, for a spec that has everything.
#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/api.h"
#include "support.h"

namespace opweld::codegen {
namespace {

namespace fs = std::filesystem;

class Compile : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = new testing::TemporaryFolder();
        package_ = new spec::Package(testing::load("tests/data/spec/good/all_types.yaml"));
        const GenerateResult result = generate(*package_, {Target::Software, folder_->path()});
        ASSERT_TRUE(result.ok());
    }
    static void TearDownTestSuite() {
        delete package_;
        delete folder_;
    }

    static void compile(const fs::path& file) {
        const std::string torch = std::string("-isystem ") + OPWELD_TORCH_DIR + "/include -isystem " +
                                  OPWELD_TORCH_DIR +
                                  "/include/torch/csrc/api/include -DAT_PER_OPERATOR_HEADERS ";
        const fs::path log = folder_->path() / "log.txt";
        const std::string command =
            std::string(OPWELD_CXX_COMPILER) + " -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I" +
            (testing::source_directory() / "include").string() + " -I" + (folder_->path() / "csrc").string() +
            " " + torch + file.string() + " 2> " + log.string();
        EXPECT_EQ(std::system(command.c_str()), 0) << testing::read_file(log);
    }

    static testing::TemporaryFolder* folder_;
    static spec::Package* package_;
};

testing::TemporaryFolder* Compile::folder_ = nullptr;
spec::Package* Compile::package_ = nullptr;

TEST_F(Compile, Register) { compile(folder_->path() / "csrc/register.cpp"); }
TEST_F(Compile, RegisterNpu) { compile(folder_->path() / "csrc/register_npu.cpp"); }
TEST_F(Compile, Prototypes) {
    for (const auto& entry : fs::directory_iterator(folder_->path() / "csrc")) {
        if (entry.path().filename().string().starts_with("proto_") && entry.path().extension() == ".cpp") {
            compile(entry.path());
        }
    }
}
TEST_F(Compile, KernelsAndVendorFunctions) {
    compile(folder_->path() / "csrc/kernels.cpp");
    compile(testing::source_directory() / "tests/data/spec/good/kernels/all_types.cpp");
    for (const auto& entry : fs::directory_iterator(folder_->path() / "csrc")) {
        if (entry.path().filename().string().starts_with("aclnn_")) {
            compile(entry.path());
        }
    }
}

}  // namespace
}  // namespace opweld::codegen
