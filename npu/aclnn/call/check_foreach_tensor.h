// Checks of older functions over lists.
#pragma once

#include "npu/aclnn/call/check_foreach.h"
