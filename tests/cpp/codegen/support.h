// What the tests of the generators share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/api.h"
#include "spec/model.h"

namespace opweld::codegen::testing {

std::filesystem::path source_directory();
std::string read_file(const std::filesystem::path& path);

// A spec of the repository, by its path there; a fault of it fails the test.
spec::Package load(const std::string& path);
// A spec given as text, in a package `demo`, whose kernel sources need not exist.
spec::Package load_spec_text(const std::string& ops);

// The rendered files, as a map would have them; any diagnostic that is an error fails the test.
std::vector<SourceFile> render_all(const spec::Package& package, Target target = Target::Software);
const std::string& text_of(const std::vector<SourceFile>& files, const std::string& path);

// A folder of its own for one test, removed at the end.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace opweld::codegen::testing
