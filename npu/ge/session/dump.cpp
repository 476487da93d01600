#include "npu/ge/session/dump.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "npu/ge/report/onnx_text.h"

namespace opweld::npu::graph {
namespace {

std::filesystem::path folder() {
    const char* named = std::getenv("DUMP_GRAPH_PATH");
    return named == nullptr || *named == '\0' ? std::filesystem::path(".") : std::filesystem::path(named);
}

void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder() / name;
    std::error_code error;
    std::filesystem::create_directories(folder(), error);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        throw GraphError(fmt::format("DUMP_GE_GRAPH: {} cannot be written", path.string()));
    }
}

std::string file_name(const std::string& text) {
    std::string name = text;
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
            c = '_';
        }
    }
    return name;
}

std::string model_stem(uint32_t id, const std::string& name) {
    return fmt::format("ge_model_{}_graph_{}_{}", getpid(), id, file_name(name));
}

}  // namespace

bool dumping() {
    const char* value = std::getenv("DUMP_GE_GRAPH");
    if (value == nullptr || *value == '\0') {
        return false;
    }
    const std::string_view text(value);
    if (text != "1" && text != "2" && text != "3") {
        throw GraphError(fmt::format("DUMP_GE_GRAPH is '{}'; it is 1, 2 or 3", text));
    }
    return true;
}

void dump_model(uint32_t id, const std::string& name, const std::string& bytes) {
    write(model_stem(id, name) + ".air", bytes);
}

void dump_inputs(uint32_t id, const std::string& name, std::span<const Form> inputs) {
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (size_t i = 0; i < inputs.size(); ++i) {
        nlohmann::ordered_json& one = all[std::to_string(i)];
        one["shape"] = inputs[i].meta.sizes().vec();
        if (inputs[i].value.defined()) {
            const at::Tensor value = inputs[i].value.to(at::kLong).contiguous();
            one["value"] = std::vector<int64_t>(value.const_data_ptr<int64_t>(),
                                                value.const_data_ptr<int64_t>() + value.numel());
        }
    }
    write(model_stem(id, name) + ".inputs.json", all.dump());
}

void dump_program(uint32_t id, const std::string& stage, const Program& program) {
    static std::atomic<int> number{0};
    write(fmt::format("ge_onnx_{:08}_graph_{}_{}.pbtxt", number++, id, stage), onnx_text(program, nullptr));
}

}  // namespace opweld::npu::graph
