// Helpers of the binary functions' rows.
#pragma once

#include "npu/kernels/with_dtype.h"
