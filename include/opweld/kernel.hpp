// The typed C++ layer over kernel.h: what an operator's kernel is written with.
//
// A kernel is a function over a generated struct of arguments. It reads tensors through TensorView, writes
// outputs through MutableTensorView, picks its element type with dispatch(), and reports faults by throwing.
// Nothing here needs torch or a device; everything may be used from any thread.
#pragma once

#include "opweld/kernel/call.hpp"
#include "opweld/kernel/dispatch.hpp"
#include "opweld/kernel/dtype.hpp"
#include "opweld/kernel/half.hpp"
#include "opweld/kernel/loops.hpp"
#include "opweld/kernel/parallel.hpp"
#include "opweld/kernel/random.hpp"
#include "opweld/kernel/tensor_view.hpp"
