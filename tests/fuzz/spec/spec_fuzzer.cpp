// Whatever bytes a file has: reading, checking, rendering, writing and importing it ends, without a fault of
// ours.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "spec/api.h"
#include "spec/schema.h"

using opweld::spec::CheckOptions;
using opweld::spec::LoadResult;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    CheckOptions options;
    options.check_files = false;
    switch (data[0] % 5) {
        case 0:
            opweld::spec::import_op_plugin(text, "v2.3");
            return 0;
        case 1:
            opweld::spec::parse_schema(text);
            return 0;
        default:
            break;
    }
    const LoadResult result = opweld::spec::load_text(text, data[0] % 5 == 2 ? "a.json" : "a.yaml", options);
    opweld::spec::render_text(result.diagnostics);
    opweld::spec::render_sarif(result.diagnostics);
    if (!result.package) {
        if (result.diagnostics.empty()) {
            std::abort();  // refused without a reason
        }
        return 0;
    }
    if (!opweld::spec::load_text(opweld::spec::write_yaml(*result.package), "b.yaml", options).package) {
        std::abort();  // what was written can't be read
    }
    return 0;
}
