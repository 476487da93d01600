// Helpers of the rows of older functions over lists.
#pragma once

#include "npu/kernels/foreach.h"
