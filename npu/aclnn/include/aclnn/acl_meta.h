// The objects of the two-phase operator interface, for C and C++ programs on the software NPU.
//
// A create function returns null after a failure (aclGetRecentErrMsg says why); the others return a status, 0
// for success. Objects are constant and may be used from any thread; an executor belongs to one call.
#ifndef OPWELD_ACLNN_ACL_META_H
#define OPWELD_ACLNN_ACL_META_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef OPWELD_ACL_TYPES
#define OPWELD_ACL_TYPES
typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27
} aclDataType;

typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NCL = 47
} aclFormat;

typedef void* aclrtStream;
#endif

typedef int32_t aclnnStatus;

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
typedef struct aclOpExecutor aclOpExecutor;

// A view of device memory. Strides (null: contiguous) and offset count elements from `data`, the start of the
// storage.
aclTensor* aclCreateTensor(const int64_t* view_dims, uint64_t view_rank, aclDataType dtype,
                           const int64_t* strides, int64_t offset, aclFormat format,
                           const int64_t* storage_dims, uint64_t storage_rank, void* data);
aclnnStatus aclDestroyTensor(const aclTensor* tensor);
// The arrays are new; the caller frees them with delete[].
aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank);
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** strides, uint64_t* rank);
aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank);
aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dtype);
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);

// A number; `value` points to one of that dtype.
aclScalar* aclCreateScalar(void* value, aclDataType dtype);
aclnnStatus aclDestroyScalar(const aclScalar* scalar);

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);
aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);
aclnnStatus aclDestroyIntArray(const aclIntArray* array);
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);

// A list owns its items: destroying it destroys them.
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);
aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size);
aclnnStatus aclDestroyTensorList(const aclTensorList* list);
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);
aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size);
aclnnStatus aclDestroyScalarList(const aclScalarList* list);

// An executor frees itself in the second phase, unless it was made repeatable; then it is destroyed here.
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);

#ifdef __cplusplus
}
#endif

#endif
