// Writing generated files: only what changed, never over what somebody wrote by hand.
#ifndef OPWELD_CODEGEN_FILES_H
#define OPWELD_CODEGEN_FILES_H

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/api.h"

namespace opweld::codegen {

// Whether a file says in its first line that it was generated.
bool is_generated(const std::filesystem::path& file);

// The files that are there and were not generated: writing would destroy work.
std::vector<std::filesystem::path> in_the_way(const std::filesystem::path& folder,
                                              const std::vector<SourceFile>& files);

// Writes what is different, each file in one step (a reader never sees half of one), and removes generated
// files of an earlier run that are not among `files`. Throws std::filesystem::filesystem_error.
std::vector<WrittenFile> write_files(const std::filesystem::path& folder,
                                     const std::vector<SourceFile>& files);

}  // namespace opweld::codegen

#endif
