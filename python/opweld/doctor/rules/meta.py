"""Rules of Meta kernels: what torch.compile and torch.export ask for shapes and dtypes."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Meta"

RULES = (
    Rule(
        "OW801",
        "no-meta",
        "error",
        FAMILY,
        "An operator has a Meta kernel (register_fake in Python): torch.compile and torch.export ask it "
        "for the "
        "results' shapes and dtypes.",
        "Only kernels for devices were registered.",
        "Register a function that allocates the results without computing them, under Meta or with "
        "torch.library.register_fake.",
        "python",
        'library.define("scale(Tensor x) -> Tensor")\nlibrary.impl("scale", scale, "PrivateUse1")',
        'library.define("scale(Tensor x) -> Tensor")\nlibrary.impl("scale", scale, "PrivateUse1")\n'
        'library.impl("scale", lambda x: torch.empty_like(x), "Meta")',
    ),
    Rule(
        "OW802",
        "meta-shape",
        "error",
        FAMILY,
        "Meta gives the shapes that the kernel gives.",
        "Meta was written for one case, such as one layout or no broadcasting.",
        "Compute the shape from the inputs' as the kernel does.",
        "python",
        'library.impl("total", lambda x: x.new_empty(x.shape), "Meta")   # the kernel sums over dimension 0',
        'library.impl("total", lambda x: x.new_empty(x.shape[1:]), "Meta")',
    ),
    Rule(
        "OW803",
        "meta-dtype",
        "error",
        FAMILY,
        "Meta gives the dtypes that the kernel gives.",
        "empty_like takes over the input's dtype, but the kernel gives another.",
        "Name the dtype: torch.empty_like(x, dtype=torch.int64).",
        "python",
        'library.impl("positive", lambda x: torch.empty_like(x), "Meta")   # the kernel gives bool',
        'library.impl("positive", lambda x: torch.empty_like(x, dtype=torch.bool), "Meta")',
    ),
    Rule(
        "OW804",
        "meta-strides",
        "error",
        FAMILY,
        "Meta gives the strides that the kernel gives: compiled code reads memory by them.",
        "The kernel returns a transposed or expanded view, or empty_like keeps the strides of a transposed "
        "input "
        "that the kernel does not keep.",
        "Make the kernel's result contiguous, or give Meta's result the same strides (new_empty_strided).",
        "python",
        'library.impl("flip", lambda x: x.new_empty(x.shape[::-1]), "Meta")   # the kernel returns x.t()',
        'library.impl("flip", lambda x: x.t(), "Meta")',
    ),
    Rule(
        "OW805",
        "meta-device",
        "error",
        FAMILY,
        "Meta's results are on the device of the inputs: `tensor's device must be meta, got cpu` otherwise.",
        "torch.empty(shape) or at::empty(sizes) without a device makes a tensor on the CPU.",
        "Take x.new_empty(shape), torch.empty_like(x), or pass device=x.device (in C++ x.options()).",
        "python",
        'library.impl("scale", lambda x: torch.empty(x.shape), "Meta")',
        'library.impl("scale", lambda x: torch.empty(x.shape, device=x.device), "Meta")',
        mechanical=True,
    ),
    Rule(
        "OW806",
        "meta-reads-data",
        "error",
        FAMILY,
        "Meta reads no values: its tensors have none.",
        ".item(), .tolist(), int(tensor), or a condition on a tensor's values.",
        "Derive the result from shapes and dtypes; a size that depends on data is "
        "torch.library.get_ctx().new_dynamic_size().",
        "python",
        "@torch.library.register_fake('my_ops::take')\ndef _(x, count):\n    return "
        "x.new_empty(count.item())",
        "@torch.library.register_fake('my_ops::take')\ndef _(x, count):\n"
        "    return x.new_empty(torch.library.get_ctx().new_dynamic_size())",
    ),
    Rule(
        "OW807",
        "meta-specialises",
        "warning",
        FAMILY,
        "Meta keeps sizes symbolic: then one compiled graph serves every size.",
        "int(x.shape[0]), range(x.shape[0]), or a branch on a size makes a constant of it: torch.compile "
        "then "
        "compiles for every size anew, and torch.export refuses.",
        "Pass x.shape[0] on as it is; in C++ sym_size() and empty_symint instead of size() and empty.",
        "python",
        "def fake(x):\n    return x.new_empty(int(x.shape[0]) * 2)",
        "def fake(x):\n    return x.new_empty(x.shape[0] * 2)",
        mechanical=True,
    ),
    Rule(
        "OW808",
        "meta-after-compile",
        "error",
        FAMILY,
        "Meta kernels are registered before the first torch.compile.",
        "The registration is below the compiled call, or in a module that is imported later.",
        "Register in the package's __init__.py, and import it first.",
        "python",
        "compiled = torch.compile(model)\ncompiled(x)\n\n"
        "@torch.library.register_fake('my_ops::scale')\ndef _(x):\n    return torch.empty_like(x)",
        "@torch.library.register_fake('my_ops::scale')\ndef _(x):\n    return torch.empty_like(x)\n\n"
        "compiled = torch.compile(model)\ncompiled(x)",
    ),
    Rule(
        "OW809",
        "meta-calls-itself",
        "error",
        FAMILY,
        "Meta does not call the operator whose Meta it is: that is an endless recursion.",
        "The wrapper function was registered as fake.",
        "Allocate the result: torch.empty_like(x).",
        "python",
        "@torch.library.register_fake('my_ops::scale')\ndef _(x):\n    return torch.ops.my_ops.scale(x)",
        "@torch.library.register_fake('my_ops::scale')\ndef _(x):\n    return torch.empty_like(x)",
    ),
    Rule(
        "OW810",
        "meta-fails",
        "error",
        FAMILY,
        "Meta accepts the inputs that the kernel accepts.",
        "Meta calls something that its tensors do not have, or checks more than the kernel does.",
        "Mend the Meta kernel where its message says.",
    ),
    Rule(
        "OW811",
        "meta-count",
        "error",
        FAMILY,
        "Meta gives as many results as the schema says.",
        "The schema has several results, but Meta returns one tensor.",
        "Return one tensor for each result of the schema.",
        "python",
        'library.define("halves(Tensor x) -> (Tensor, Tensor)")\nlibrary.impl("halves", lambda x: '
        'torch.empty_like(x), "Meta")',
        'library.impl("halves", lambda x: (torch.empty_like(x), torch.empty_like(x)), "Meta")',
    ),
)
