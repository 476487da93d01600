// The C functions of libacl_op_compiler.so that are implemented. Enumerations travel as int.
//
// Functions that return int give an ACL code (0 is success) and leave a sentence in aclGetRecentErrMsg; those
// that create give null where they fail. Getters of a null description give -1 (dtype, format) or 0 (number
// of dimensions).
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/runtime/interface.h"

struct aclTensorDesc;
struct aclDataBuffer;
struct aclopAttr;

extern "C" {

// Tensor descriptions. `sizes` may be null where `rank` is 0. Destroying null is allowed.
OPWELD_EXPORT aclTensorDesc* aclCreateTensorDesc(int dtype, int rank, const int64_t* sizes, int format);
OPWELD_EXPORT void aclDestroyTensorDesc(const aclTensorDesc* tensor);
OPWELD_EXPORT int aclGetTensorDescType(const aclTensorDesc* tensor);
OPWELD_EXPORT int aclGetTensorDescFormat(const aclTensorDesc* tensor);
OPWELD_EXPORT size_t aclGetTensorDescNumDims(const aclTensorDesc* tensor);
OPWELD_EXPORT int aclGetTensorDescDimV2(const aclTensorDesc* tensor, size_t index, int64_t* size);
OPWELD_EXPORT void aclSetTensorDescName(aclTensorDesc* tensor, const char* name);
OPWELD_EXPORT int aclSetTensorFormat(aclTensorDesc* tensor, int format);
OPWELD_EXPORT int aclSetTensorPlaceMent(aclTensorDesc* tensor, int placement);
OPWELD_EXPORT int aclSetTensorShape(aclTensorDesc* tensor, int rank, const int64_t* sizes);

// Data buffers: `size` bytes of device memory that stay the caller's.
OPWELD_EXPORT aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);
OPWELD_EXPORT int aclDestroyDataBuffer(const aclDataBuffer* buffer);

// Attributes. Values are copied; setting a name again replaces its value. Destroying null is allowed.
OPWELD_EXPORT aclopAttr* aclopCreateAttr();
OPWELD_EXPORT void aclopDestroyAttr(const aclopAttr* attributes);
OPWELD_EXPORT int aclopSetAttrBool(aclopAttr* attributes, const char* name, uint8_t value);
OPWELD_EXPORT int aclopSetAttrInt(aclopAttr* attributes, const char* name, int64_t value);
OPWELD_EXPORT int aclopSetAttrFloat(aclopAttr* attributes, const char* name, float value);
OPWELD_EXPORT int aclopSetAttrString(aclopAttr* attributes, const char* name, const char* value);
OPWELD_EXPORT int aclopSetAttrDataType(aclopAttr* attributes, const char* name, int value);
OPWELD_EXPORT int aclopSetAttrListBool(aclopAttr* attributes, const char* name, int size,
                                       const uint8_t* values);
OPWELD_EXPORT int aclopSetAttrListInt(aclopAttr* attributes, const char* name, int size,
                                      const int64_t* values);
OPWELD_EXPORT int aclopSetAttrListFloat(aclopAttr* attributes, const char* name, int size,
                                        const float* values);
OPWELD_EXPORT int aclopSetAttrListListInt(aclopAttr* attributes, const char* name, int size, const int* sizes,
                                          const int64_t* const values[]);

// Compile options: aclGetCompileoptSize counts the closing zero byte and gives 0 for an option that does not
// exist.
OPWELD_EXPORT int aclSetCompileopt(int option, const char* value);
OPWELD_EXPORT size_t aclGetCompileoptSize(int option);
OPWELD_EXPORT int aclGetCompileopt(int option, char* value, size_t size);

// Both run the operators of call.h asynchronously on the stream; others fail, and the message names the
// operator, its tensors and its attributes.
OPWELD_EXPORT int aclopCompileAndExecute(const char* op_type, int input_count,
                                         const aclTensorDesc* const inputs[],
                                         const aclDataBuffer* const input_buffers[], int output_count,
                                         const aclTensorDesc* const outputs[],
                                         aclDataBuffer* const output_buffers[], const aclopAttr* attributes,
                                         int engine, int compile, const char* path, void* stream);
OPWELD_EXPORT int aclopCompileAndExecuteV2(const char* op_type, int input_count, aclTensorDesc* inputs[],
                                           aclDataBuffer* input_buffers[], int output_count,
                                           aclTensorDesc* outputs[], aclDataBuffer* output_buffers[],
                                           aclopAttr* attributes, int engine, int compile, const char* path,
                                           void* stream);
}
