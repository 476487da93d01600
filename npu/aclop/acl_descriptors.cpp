// Entry points: tensor descriptions and data buffers.
#include "npu/aclop/acl_op.h"
#include "npu/aclop/boundary.h"
#include "npu/aclop/objects.h"

namespace {

using opweld::npu::aclop::entry;
using opweld::npu::aclop::kInvalidParam;
using opweld::npu::aclop::raise;
using opweld::npu::aclop::required;

std::vector<int64_t> shape_of(int rank, const int64_t* sizes) {
    if (rank < 0) {
        raise(kInvalidParam, "the number of dimensions is {}; it must not be negative", rank);
    }
    if (rank == 0) {
        return {};
    }
    const int64_t* first = &required(sizes, "dims");
    return {first, first + rank};
}

}  // namespace

extern "C" {

aclTensorDesc* aclCreateTensorDesc(int dtype, int rank, const int64_t* sizes, int format) {
    aclTensorDesc* created = nullptr;
    entry("aclCreateTensorDesc", [&] {
        created = new aclTensorDesc{
            .dtype = dtype, .format = format, .placement = 0, .shape = shape_of(rank, sizes), .name = {}};
    });
    return created;
}

void aclDestroyTensorDesc(const aclTensorDesc* tensor) { delete tensor; }

int aclGetTensorDescType(const aclTensorDesc* tensor) {
    int dtype = -1;
    entry("aclGetTensorDescType", [&] { dtype = required(tensor, "desc").dtype; });
    return dtype;
}

int aclGetTensorDescFormat(const aclTensorDesc* tensor) {
    int format = -1;
    entry("aclGetTensorDescFormat", [&] { format = required(tensor, "desc").format; });
    return format;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* tensor) {
    size_t rank = 0;
    entry("aclGetTensorDescNumDims", [&] { rank = required(tensor, "desc").shape.size(); });
    return rank;
}

int aclGetTensorDescDimV2(const aclTensorDesc* tensor, size_t index, int64_t* size) {
    return entry("aclGetTensorDescDimV2", [&] {
        const auto& shape = required(tensor, "desc").shape;
        if (index >= shape.size()) {
            raise(kInvalidParam, "dimension {} was asked of a tensor that has {}", index, shape.size());
        }
        required(size, "dimSize") = shape[index];
    });
}

void aclSetTensorDescName(aclTensorDesc* tensor, const char* name) {
    entry("aclSetTensorDescName", [&] { required(tensor, "desc").name = &required(name, "name"); });
}

int aclSetTensorFormat(aclTensorDesc* tensor, int format) {
    return entry("aclSetTensorFormat", [&] { required(tensor, "desc").format = format; });
}

int aclSetTensorPlaceMent(aclTensorDesc* tensor, int placement) {
    return entry("aclSetTensorPlaceMent", [&] { required(tensor, "desc").placement = placement; });
}

int aclSetTensorShape(aclTensorDesc* tensor, int rank, const int64_t* sizes) {
    return entry("aclSetTensorShape", [&] { required(tensor, "desc").shape = shape_of(rank, sizes); });
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
    aclDataBuffer* created = nullptr;
    entry("aclCreateDataBuffer", [&] { created = new aclDataBuffer{.data = data, .size = size}; });
    return created;
}

int aclDestroyDataBuffer(const aclDataBuffer* buffer) {
    return entry("aclDestroyDataBuffer", [&] { delete &required(buffer, "dataBuffer"); });
}
}
