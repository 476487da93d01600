// Checks of reductions.
#pragma once

#include "npu/aclnn/call/check_dtype.h"
