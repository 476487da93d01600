// `opweld new`: a project that builds as it is.

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "codegen/api.h"
#include "codegen/text.h"
#include "spec/names.h"

namespace opweld::codegen {

namespace {

constexpr std::string_view spec_text =
    R"(# What the operators of this package are; everything else is generated from it. `opweld check` explains every fault.
version: 1
package: @name@
ops:
  - op: npu_@name@_scale        # torch.ops.npu.npu_@name@_scale; names in `npu` are shared, so the package's is in it
    doc: y = alpha * x
    input_desc:
      - {name: x, param_type: required, type: [float32, float16, bfloat16, float64], format: [ND]}
    attr:
      - {name: alpha, param_type: optional, type: float, default_value: 1.0}
    output_desc:
      - {name: y, type: x.dtype, shape: x.shape}    # expressions over the inputs
    constraints:
      - {expr: "alpha != 0", message: "alpha must not be zero"}
    reference: "alpha * x"          # Python; what the kernel is tested against
    backward: {x: "grad * alpha"}
    kernel:
      - {language: cpp, source: kernels/scale.cpp}  # the function aclnn@ge_op@ calls it
    batching: {x: 0}                # under torch.vmap all examples go in one call, stacked along dimension 0
)";

constexpr std::string_view kernel_text = R"(#include "@name@_kernels.hpp"

namespace @name@ {

void @function@(const @ge_op@Args& args) {
    opweld::dispatch(args.x, @ge_op@Args::x_types{}, [&]<typename T>() {
        using Number = opweld::accumulate_t<T>;
        const auto alpha = static_cast<Number>(args.alpha);
        opweld::elementwise(args.y.as<T>(), [&](const T& x) { return alpha * static_cast<Number>(x); }, args.x.as<T>());
    });
}

}  // namespace @name@
)";

constexpr std::string_view test_text = R"("""A test of your own, beside those that are generated."""

import torch

import @name@


def test_scale():
    device = "npu" if hasattr(torch, "npu") and torch.npu.is_available() else "cpu"
    x = torch.arange(6.0, device=device).reshape(2, 3).requires_grad_()
    y = @name@.npu_@name@_scale(x, alpha=2.5)
    y.sum().backward()
    torch.testing.assert_close(y.detach().cpu(), 2.5 * torch.arange(6.0).reshape(2, 3))
    torch.testing.assert_close(x.grad.cpu(), torch.full((2, 3), 2.5))
)";

constexpr std::string_view readme_text = R"(# @name@
PyTorch operators for Ascend NPUs.

- `spec.yaml` says what the operators are; `opweld check spec.yaml` explains every fault.
- `kernels/` holds what they compute, `tests/` tests of your own.
- `opweld build --install .` generates the rest into `build/`, compiles it and installs the package.
- `opweld run -- pytest build/opweld/tests` runs the generated tests on the software NPU, `opweld run -- pytest tests`
  yours.

```python
import torch, @name@
@name@.npu_@name@_scale(torch.ones(3, device="npu"), alpha=2.0)
```
)";

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        throw std::filesystem::filesystem_error("cannot write", path,
                                                std::make_error_code(std::errc::io_error));
    }
}

}  // namespace

std::vector<std::filesystem::path> new_project(std::string_view name,
                                               const std::filesystem::path& directory) {
    if (const std::string_view language = spec::keyword_of(name); !language.empty()) {
        throw std::invalid_argument(fmt::format(
            "'{}' is a keyword of {} and can't be the name of a package; take another, such as '{}_ops'",
            name, language, name));
    }
    if (!spec::is_identifier(name) || name.find("__") != std::string_view::npos || name.front() == '_') {
        throw std::invalid_argument(fmt::format(
            "'{}' can't be the name of a Python package and C++ namespace: use letters, digits and single "
            "underscores, and start with a letter",
            name));
    }
    if (spec::is_reserved_package(name)) {
        throw std::invalid_argument(fmt::format(
            "'{}' is the name of a package or C++ namespace that generated code needs; use another", name));
    }
    if (std::filesystem::exists(directory) && !std::filesystem::is_empty(directory)) {
        throw std::invalid_argument(fmt::format("{} is there and not empty", directory.generic_string()));
    }
    const std::string ge_op = spec::default_ge_op({"npu", fmt::format("npu_{}_scale", name), ""});
    const std::string function = snake_case(ge_op);
    const Fields fields = {{"name", name}, {"ge_op", ge_op}, {"function", function}};
    const std::vector<std::pair<std::filesystem::path, std::string_view>> files{
        {"README.md", readme_text},
        {"kernels/scale.cpp", kernel_text},
        {"spec.yaml", spec_text},
        {"tests/test_my_scale.py", test_text}};
    std::vector<std::filesystem::path> written;
    for (const auto& [path, text] : files) {
        write(directory / path, fill(text, fields));
        written.push_back(path);
    }
    return written;
}

}  // namespace opweld::codegen
