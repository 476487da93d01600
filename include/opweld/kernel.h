// The C interface between an operator's kernel and whoever runs it: the software NPU, PyTorch's CPU device,
// the graph engine. A kernel gets host-addressable memory and plain values; it knows nothing of torch, ACL or
// streams.
//
// Kernels are written against the typed C++ layer in kernel.hpp; this header is the binary contract below it.
#ifndef OPWELD_KERNEL_H
#define OPWELD_KERNEL_H

#include <stddef.h>
#include <stdint.h>

// C reads this, too.
// NOLINTBEGIN(modernize-use-using)
#ifdef __cplusplus
extern "C" {
#endif

// Raised whenever a struct below changes. A runner refuses a kernel of another version by name.
#define OPWELD_KERNEL_ABI 1

// Element types. The numbers are those of aclDataType and ge::DataType.
typedef enum OpweldDType {
    OPWELD_FLOAT32 = 0,
    OPWELD_FLOAT16 = 1,
    OPWELD_INT8 = 2,
    OPWELD_INT32 = 3,
    OPWELD_UINT8 = 4,
    OPWELD_INT16 = 6,
    OPWELD_UINT16 = 7,
    OPWELD_UINT32 = 8,
    OPWELD_INT64 = 9,
    OPWELD_UINT64 = 10,
    OPWELD_FLOAT64 = 11,
    OPWELD_BOOL = 12,
    OPWELD_COMPLEX64 = 16,
    OPWELD_COMPLEX128 = 17,
    OPWELD_BFLOAT16 = 27
} OpweldDType;

// A strided view of memory that the kernel may touch. The runner owns it; it is valid during the call only.
typedef struct OpweldTensor {
    void* data;              // address of the first element; may be null where the tensor has no element
    const int64_t* shape;    // `ndim` sizes
    const int64_t* strides;  // `ndim` strides in elements
    int32_t ndim;
    int32_t dtype;    // OpweldDType
    int32_t defined;  // 0: an optional tensor that is absent; all other fields are then zero
    int32_t reserved;
} OpweldTensor;

typedef enum OpweldValueKind {
    OPWELD_KIND_TENSOR = 0,
    OPWELD_KIND_TENSOR_LIST = 1,
    OPWELD_KIND_BOOL = 2,
    OPWELD_KIND_INT = 3,
    OPWELD_KIND_FLOAT = 4,
    OPWELD_KIND_STRING = 5,
    OPWELD_KIND_SCALAR = 6,  // `scalar`: a bool, an integer, a float or a complex number
    OPWELD_KIND_BOOL_LIST = 7,
    OPWELD_KIND_INT_LIST = 8,
    OPWELD_KIND_FLOAT_LIST = 9,
    OPWELD_KIND_DTYPE = 10,  // `integer` holds an OpweldDType
    OPWELD_KIND_NONE = 11    // an optional attribute that is absent
} OpweldValueKind;

typedef struct OpweldScalar {
    int32_t dtype;  // OPWELD_BOOL, OPWELD_INT64, OPWELD_FLOAT64 or OPWELD_COMPLEX128: which field counts
    int32_t reserved;
    int64_t integer;  // also 0 or 1 for OPWELD_BOOL
    double real;
    double imaginary;
} OpweldScalar;

// One argument of an operator.
typedef struct OpweldValue {
    int32_t kind;  // OpweldValueKind
    int32_t reserved;
    union {
        OpweldTensor tensor;
        struct {
            const OpweldTensor* items;
            int64_t size;
        } tensors;
        int64_t integer;  // also 0 or 1 for OPWELD_KIND_BOOL
        double real;
        const char* string;  // UTF-8, ends with a zero byte
        OpweldScalar scalar;
        struct {
            const void* items;  // bool, int64_t or double, by `kind`
            int64_t size;
        } list;
    } as;
} OpweldValue;

// One call of an operator: inputs, attributes and outputs in the order of the spec.
typedef struct OpweldCall {
    uint32_t abi;  // OPWELD_KERNEL_ABI
    uint32_t reserved;
    const char* op;  // the operator's name, for messages
    const OpweldValue* inputs;
    size_t input_count;
    const OpweldValue* attributes;
    size_t attribute_count;
    const OpweldValue* outputs;
    size_t output_count;
} OpweldCall;

// A kernel. Returns 0, or another number after it has written a sentence (zero-terminated, at most
// `error_size` bytes) to `error`. It must not throw, must not end the process, and may be called from any
// thread.
typedef int32_t (*OpweldKernelFunction)(const OpweldCall* call, char* error, size_t error_size);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-use-using)

#endif
