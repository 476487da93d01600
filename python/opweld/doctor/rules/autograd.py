"""Rules of autograd: kernels for gradients, and what their backward may do."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Autograd"

RULES = (
    Rule(
        "OW821",
        "no-autograd",
        "warning",
        FAMILY,
        "An operator whose input may require a gradient has an autograd kernel, if only one that refuses.",
        "Only a device kernel was registered: backward then ends with `element 0 of tensors does not "
        "require grad`, "
        "or a gradient is missing without an error.",
        "Register a torch::autograd::Function under AutogradPrivateUse1, or call "
        "torch.library.register_autograd. An "
        "operator without a derivative needs nothing.",
        "python",
        'library.define("scale(Tensor x) -> Tensor")\nlibrary.impl("scale", scale, "PrivateUse1")\n'
        "torch.ops.my_ops.scale(x.requires_grad_()).sum().backward()",
        'torch.library.register_autograd("my_ops::scale", backward, setup_context=setup_context)',
    ),
    Rule(
        "OW822",
        "gradient-count",
        "error",
        FAMILY,
        "backward returns one gradient for each argument of forward, None where there is none.",
        "An argument was added to forward, or those that are no tensors were left out.",
        "Return as many as the message says; None for arguments that are no tensors.",
        "python",
        "class Scale(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, factor): ...\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * 2",
        "class Scale(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, factor): ...\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * 2, None",
    ),
    Rule(
        "OW823",
        "saved-tensor-modified",
        "error",
        FAMILY,
        "A tensor that is saved for backward is not modified in place.",
        "A step such as x.mul_() or x += 1 saves memory, but backward then reads the changed values or is "
        "refused: "
        "`modified by an inplace operation`.",
        "Save a copy, modify a copy, or call mark_dirty and save the result.",
        "python",
        "def forward(ctx, x):\n    ctx.save_for_backward(x)\n    return x.mul_(2)",
        "def forward(ctx, x):\n    ctx.save_for_backward(x)\n    return x.mul(2)",
    ),
    Rule(
        "OW824",
        "tensor-kept-on-context",
        "warning",
        FAMILY,
        "Tensors are kept for backward with save_for_backward, not as attributes of the context.",
        "ctx.x = x is shorter; it leaks memory, and misses changes in place and second derivatives.",
        "Call ctx.save_for_backward(x) and read ctx.saved_tensors.",
        "python",
        "def forward(ctx, x: torch.Tensor):\n    ctx.x = x",
        "def forward(ctx, x: torch.Tensor):\n    ctx.save_for_backward(x)",
    ),
    Rule(
        "OW825",
        "autograd-calls-itself",
        "error",
        FAMILY,
        "An autograd kernel that calls its own operator does so below autograd.",
        "The guard is missing: the call comes back to the same kernel, until the stack is full.",
        "Write at::AutoDispatchBelowADInplaceOrView guard; before the call, or redispatch.",
        "cpp",
        "at::Tensor scale_autograd(const at::Tensor& x) {\n"
        '    static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("my_ops::scale", "")'
        ".typed<at::Tensor(const at::Tensor&)>();\n    return op.call(x);\n}",
        "at::Tensor scale_autograd(const at::Tensor& x) {\n    at::AutoDispatchBelowADInplaceOrView guard;\n"
        '    static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("my_ops::scale", "")'
        ".typed<at::Tensor(const at::Tensor&)>();\n    return op.call(x);\n}",
    ),
    Rule(
        "OW826",
        "backward-missing",
        "error",
        FAMILY,
        "A torch.autograd.Function has a backward (or a vjp) besides its forward.",
        "It was forgotten, or misspelt.",
        "Write backward; one that raises where the operator has no derivative.",
        "python",
        "class Scale(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): ...",
        "class Scale(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): ...\n\n"
        "    @staticmethod\n    def backward(ctx, grad): ...",
    ),
    Rule(
        "OW827",
        "gradient-shape",
        "error",
        FAMILY,
        "The gradient of an input has the input's shape.",
        "A broadcast input's gradient was not summed up.",
        "Sum the gradient to the input's shape: grad.sum_to_size(x.shape).",
    ),
    Rule(
        "OW828",
        "gradient-lost",
        "error",
        FAMILY,
        "The result of an operator with an autograd kernel requires a gradient where an input does.",
        "The kernel under an Autograd key calls the operator below autograd and makes no node of it.",
        "Call the apply of a torch.autograd.Function there.",
    ),
    Rule(
        "OW829",
        "autograd-unstated",
        "note",
        FAMILY,
        "An operator says whether it can be differentiated.",
        "It has a device kernel only. Nothing here takes its gradient, so that may be meant.",
        "Nothing, where no gradient is wanted; else register one (torch.library.register_autograd).",
    ),
)
