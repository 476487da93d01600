#include <cstdint>

#include "aclnn/aclnn_base.h"

extern "C" {

aclnnStatus aclnnFaultyScaleGetWorkspaceSize(const aclTensor* x, double factor, aclTensor* y, uint64_t* size,
                                             aclOpExecutor** executor) {
    return make_executor(x, factor, y, size, executor);
}

}  // extern "C"
