// What the rows of the interpolations use.
#pragma once

#include "npu/kernels/nn/widened.h"
