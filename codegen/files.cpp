#include "codegen/files.h"

#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "codegen/generators.h"

namespace opweld::codegen {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = ".opweld-files";

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void replace_file(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    fs::path temporary = path;
    temporary += ".new";
    {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        stream << text;
        stream.close();
        if (!stream) {
            throw fs::filesystem_error("cannot write", temporary, std::make_error_code(std::errc::io_error));
        }
    }
    fs::rename(temporary, path);
}

// Generated files of the last run, one path a line.
std::set<fs::path> read_manifest(const fs::path& folder) {
    std::ifstream stream(folder / manifest_name);
    std::set<fs::path> paths;
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty()) {
            paths.insert(line);
        }
    }
    return paths;
}

bool stays_inside(const fs::path& path) {
    return path.is_relative() && path.lexically_normal().generic_string().rfind("..", 0) != 0;
}

}  // namespace

bool is_generated(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line.find(generated_mark) != std::string::npos;
}

std::vector<fs::path> in_the_way(const fs::path& folder, const std::vector<SourceFile>& files) {
    std::vector<fs::path> found;
    for (const SourceFile& file : files) {
        const fs::path path = folder / file.path;
        if (fs::exists(path) && !is_generated(path)) {
            found.push_back(file.path);
        }
    }
    return found;
}

std::vector<WrittenFile> write_files(const fs::path& folder, const std::vector<SourceFile>& files) {
    std::set<fs::path> stale = read_manifest(folder);
    std::vector<WrittenFile> written;
    std::string manifest;
    for (const SourceFile& file : files) {
        const fs::path path = folder / file.path;
        const bool changed = !fs::exists(path) || read_file(path) != file.text;
        if (changed) {
            replace_file(path, file.text);
        }
        written.push_back({file.path, changed});
        stale.erase(file.path);
        manifest += file.path.generic_string() + "\n";
    }
    for (const fs::path& path : stale) {
        if (stays_inside(path) && fs::exists(folder / path) && is_generated(folder / path)) {
            fs::remove(folder / path);
        }
    }
    if (read_file(folder / manifest_name) != manifest) {
        replace_file(folder / manifest_name, manifest);
    }
    return written;
}

}  // namespace opweld::codegen
