"""Rules of kernels: aclnn functions, their libraries, and the vendor package that holds them."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Kernel"

RULES = (
    Rule(
        "OW901",
        "aclnn-missing",
        "error",
        FAMILY,
        "The aclnn function that a kernel calls is in libopapi.so or in a vendor package: `aclnnXxx ... "
        "not in "
        "libopapi.so` otherwise.",
        "A typing error in the name, or the vendor package that has it was never built or installed.",
        "Mend the name, or build and install the vendor package.",
        "cpp",
        "EXEC_NPU_CMD_EXT(aclnnAdds_, x, y);",
        "EXEC_NPU_CMD_EXT(aclnnAdds, x, y);",
    ),
    Rule(
        "OW902",
        "aclnn-half",
        "error",
        FAMILY,
        "An aclnn function has two phases: aclnnXxxGetWorkspaceSize and aclnnXxx.",
        "Only one of the two was written, exported or linked.",
        'Write both, extern "C" and visible.',
        "cpp",
        'extern "C" aclnnStatus aclnnScaleGetWorkspaceSize(const aclTensor*, aclTensor*, uint64_t*, '
        "aclOpExecutor**);",
        'extern "C" aclnnStatus aclnnScaleGetWorkspaceSize(const aclTensor*, aclTensor*, uint64_t*, '
        "aclOpExecutor**);\n"
        'extern "C" aclnnStatus aclnnScale(void*, uint64_t, aclOpExecutor*, aclrtStream);',
    ),
    Rule(
        "OW903",
        "aclnn-arguments",
        "error",
        FAMILY,
        "A kernel passes the aclnn function the arguments it has, in their order; nothing checks it at run "
        "time.",
        "An attribute was added to one side only, or the output is missing.",
        "Pass what the function's GetWorkspaceSize takes before its last two arguments.",
        "cpp",
        "EXEC_NPU_CMD_EXT(aclnnScale, x, y);\n"
        "aclnnStatus aclnnScaleGetWorkspaceSize(const aclTensor* x, double factor, aclTensor* y, uint64_t*, "
        "aclOpExecutor**);",
        "EXEC_NPU_CMD_EXT(aclnnScale, x, factor, y);",
    ),
    Rule(
        "OW904",
        "vendor-not-on-path",
        "error",
        FAMILY,
        "The folder of a vendor package is on ASCEND_CUSTOM_OPP_PATH: torch_npu looks for its functions "
        "there.",
        "The package was built, but its folder was not made known, or set_env.bash was not sourced.",
        "export ASCEND_CUSTOM_OPP_PATH=<folder of the vendor package>, or start the program with opweld run.",
    ),
    Rule(
        "OW905",
        "vendor-path-set-late",
        "error",
        FAMILY,
        "ASCEND_CUSTOM_OPP_PATH is set before torch and torch_npu are imported: it is read then.",
        "os.environ[...] = ... stands below the imports.",
        "Move the line above the first import of torch, or set the variable in the shell.",
        "python",
        "import torch_npu\nimport os\n\nos.environ['ASCEND_CUSTOM_OPP_PATH'] = '/opt/vendors/my_ops'",
        "import os\n\nos.environ['ASCEND_CUSTOM_OPP_PATH'] = '/opt/vendors/my_ops'\nimport torch_npu",
    ),
    Rule(
        "OW906",
        "library-missing",
        "error",
        FAMILY,
        "The libraries that a library needs are on the loader's path.",
        "The folder is not in LD_LIBRARY_PATH, or the library is of another CANN.",
        "Install the library, or add its folder to LD_LIBRARY_PATH.",
    ),
    Rule(
        "OW907",
        "wrong-soc",
        "error",
        FAMILY,
        "A vendor package holds kernels for the SoC that is used.",
        "It was built for another SoC.",
        "Build it for this one: in msopgen's project, ASCEND_COMPUTE_UNIT.",
    ),
    Rule(
        "OW908",
        "macro-of-torch-npu",
        "error",
        FAMILY,
        "An extension calls aclnn functions through EXEC_NPU_CMD_EXT; EXEC_NPU_CMD does not link outside "
        "torch_npu.",
        "The call was copied from op-plugin's own sources.",
        "Include torch_npu's op_api_common_base.h and write EXEC_NPU_CMD_EXT.",
        "cpp",
        "EXEC_NPU_CMD(aclnnAbs, x, y);",
        "EXEC_NPU_CMD_EXT(aclnnAbs, x, y);",
    ),
    Rule(
        "OW909",
        "vendor-folder-broken",
        "error",
        FAMILY,
        "A folder on ASCEND_CUSTOM_OPP_PATH is a vendor package: it has op_api/lib/libcust_opapi.so.",
        "The path leads to the folder above (vendors/), or to one that was removed.",
        "Write the vendor's own folder, such as .../vendors/my_vendor.",
    ),
    Rule(
        "OW910",
        "aclnn-not-c",
        "error",
        FAMILY,
        "An aclnn function is exported by its plain C name.",
        'extern "C" is missing: the name is mangled, and torch_npu does not find it.',
        'Write extern "C" before both phases.',
        "cpp",
        "aclnnStatus aclnnScale(void*, uint64_t, aclOpExecutor*, aclrtStream) { ... }",
        'extern "C" aclnnStatus aclnnScale(void*, uint64_t, aclOpExecutor*, aclrtStream) { ... }',
    ),
    Rule(
        "OW911",
        "kernel-fails",
        "error",
        FAMILY,
        "The kernel runs on the device with inputs that Meta accepts.",
        "The device refuses a dtype or a shape, or the aclnn function is missing.",
        "Mend what the device's message says.",
    ),
    Rule(
        "OW912",
        "not-on-software-npu",
        "note",
        FAMILY,
        "The aclnn function that the operator calls is one that the software NPU implements.",
        "CANN has the function; the software NPU has only its name so far. On a real NPU the operator runs.",
        "Try it on a real NPU, or on the CPU; npu/aclnn/README.md says how a function is added.",
    ),
    Rule(
        "OW913",
        "device-memory",
        "error",
        FAMILY,
        "What a program keeps on a device fits into its memory.",
        "A batch or an output is too large, a shape is computed wrongly, or tensors and graphs of earlier "
        "steps are still held (a loss that is summed up without .item()).",
        "Make it smaller, or let go of what is not needed (torch.npu.memory_summary() shows what is held). "
        "The software NPU has the SoC's memory, at most 80 % of the host's: OPWELD_HBM_GIB changes it.",
        "python",
        "total = total + loss",
        "total = total + loss.item()",
    ),
)
