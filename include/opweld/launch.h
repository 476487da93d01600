// How a vendor library's aclnn functions hand an operator to the software NPU. libnnopbase.so of the software
// NPU exports these functions; a real CANN does not have them, so a library that uses them belongs to the
// software NPU.
#ifndef OPWELD_LAUNCH_H
#define OPWELD_LAUNCH_H

#include "opweld/kernel.h"

// C reads this, too.
// NOLINTBEGIN(modernize-use-using)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensor aclTensor;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclOpExecutor aclOpExecutor;

// One argument as the first phase of an aclnn function receives it. A null tensor, list or string is an
// absent optional argument, and so is an argument of kind OPWELD_KIND_NONE (a plain value that is not there).
// In an optional list of tensors single tensors may be null too.
typedef struct OpweldArgument {
    int32_t kind;      // OpweldValueKind
    int32_t optional;  // 1: may be absent
    const char* name;  // for messages
    union {
        const aclTensor* tensor;
        const aclTensorList* tensors;
        const aclScalar* scalar;
        const aclIntArray* integers;
        const aclFloatArray* floats;
        const aclBoolArray* bools;
        int64_t integer;  // also bools (0 or 1) and dtypes (OpweldDType)
        double real;
        const char* string;
    } as;
    uint64_t dtypes;  // tensors and lists: bit n set means OpweldDType n is accepted; 0 means any
} OpweldArgument;

// What is known of an operator before it is called.
typedef struct OpweldOperator {
    uint32_t abi;  // OPWELD_KERNEL_ABI
    uint32_t reserved;
    const char* aclnn_name;  // "aclnnCustomLinear"
    OpweldKernelFunction kernel;
    // Checks shapes, dtypes and values in the first phase; tensor data is null then. May be null.
    OpweldKernelFunction check;
} OpweldOperator;

// First phase: checks the arguments (absent, dtype, then `check`), and makes an executor that owns a copy of
// all it needs. Returns an aclnn status; the sentence is in aclGetRecentErrMsg. *workspace_size is 0.
int32_t opweldPrepare(const OpweldOperator* op, const OpweldArgument* inputs, size_t input_count,
                      const OpweldArgument* attributes, size_t attribute_count, const OpweldArgument* outputs,
                      size_t output_count, uint64_t* workspace_size, aclOpExecutor** executor);

// Second phase: puts the kernel on the stream. The executor frees itself.
int32_t opweldLaunch(void* workspace, uint64_t workspace_size, aclOpExecutor* executor, void* stream);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-use-using)

#endif
