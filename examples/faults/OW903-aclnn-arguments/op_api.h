#include <cstdint>

#include "aclnn/aclnn_base.h"

extern "C" {

aclnnStatus aclnnFaultyScaleGetWorkspaceSize(const aclTensor* x, double factor, aclTensor* y, uint64_t* size,
                                             aclOpExecutor** executor);
aclnnStatus aclnnFaultyScale(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"
