#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "codegen/api.h"
#include "spec/api.h"
#include "support.h"

namespace opweld::codegen {
namespace {

using testing::TemporaryFolder;

TEST(NewProject, HasASpecWithoutAnyFault) {
    const TemporaryFolder folder;
    const auto files = new_project("my_ops", folder.path() / "my_ops");
    for (const auto& file : files) {
        EXPECT_TRUE(std::filesystem::exists(folder.path() / "my_ops" / file)) << file;
    }
    const auto loaded = spec::load_package((folder.path() / "my_ops/spec.yaml").string(), {true, true});
    for (const spec::Diagnostic& diagnostic : loaded.diagnostics) {
        ADD_FAILURE() << diagnostic.rule << " " << diagnostic.message;
    }
    ASSERT_TRUE(loaded.package.has_value());
    EXPECT_EQ(loaded.package->name, "my_ops");
}

TEST(NewProject, KernelImplementsWhatTheGeneratedHeaderDeclares) {
    for (const std::string name : {"ops2", "my_ops", "MyOps", "x", "a_1_b", "HTTPOps", "npu_ops"}) {
        const TemporaryFolder folder;
        new_project(name, folder.path() / "x");
        const auto loaded = spec::load_package((folder.path() / "x/spec.yaml").string(), {true, true});
        EXPECT_TRUE(loaded.diagnostics.empty()) << name;
        ASSERT_TRUE(loaded.package.has_value()) << name;
        const auto rendered = testing::render_all(*loaded.package);
        const std::string& header = testing::text_of(rendered, "csrc/" + name + "_kernels.hpp");
        const std::string kernel = testing::read_file(folder.path() / "x/kernels/scale.cpp");
        const size_t begin = header.find("\nvoid ") + 1;
        const std::string declared = header.substr(begin, header.find(';', begin) - begin);
        EXPECT_NE(kernel.find(declared + " {"), std::string::npos) << declared;
    }
}

TEST(NewProject, RefusesBadNames) {
    const TemporaryFolder folder;
    for (const char* name : {"", "my-ops", "9ops", "class", "lambda", "a__b", "_ops", "a b", "../ops"}) {
        EXPECT_THROW(new_project(name, folder.path() / "new"), std::invalid_argument) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "new"));
}

TEST(NewProject, RefusesAFolderThatIsNotEmpty) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "mine.txt") << "text";
    EXPECT_THROW(new_project("ops", folder.path()), std::invalid_argument);
}

}  // namespace
}  // namespace opweld::codegen
