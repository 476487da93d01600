// Checks of arithmetic of two or three tensors.
#pragma once

#include "npu/aclnn/call/check_dtype.h"
