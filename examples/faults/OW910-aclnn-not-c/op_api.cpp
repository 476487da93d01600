#include <cstdint>

#include "aclnn/aclnn_base.h"

aclnnStatus aclnnFaultyScaleGetWorkspaceSize(const aclTensor* x, double factor, aclTensor* y, uint64_t* size,
                                             aclOpExecutor** executor) {
    return make_executor(x, factor, y, size, executor);
}

aclnnStatus aclnnFaultyScale(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
    return launch(workspace, size, executor, stream);
}
