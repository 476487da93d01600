// Libraries with prototypes, which vendor packages bring along.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "npu/ge/prototypes/prototype.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

// The prototype libraries that this process's environment names, in the order in which they count: folders of
// ASCEND_CUSTOM_OPP_PATH, then the vendors of ASCEND_OPP_PATH, those in its vendors/config.ini
// (load_priority=a,b) first, then its folder op_proto/custom. In each vendor's folder: op_proto and what is
// below it.
OPWELD_EXPORT std::vector<std::filesystem::path> prototype_libraries();

// Loads them, each once in a process; calls from two threads wait for each other. Of two libraries that
// register one type the first counts, and a warning says so unless both say the same. Throws AclException
// with all that was wrong: libraries that cannot be loaded, and prototypes that cannot be used; the other
// libraries are loaded all the same.
OPWELD_EXPORT void load_prototype_libraries();

// The library that is being loaded by this thread; "" for none.
std::string loading();

// Notes a fault of the library that is being loaded.
void report(const std::string& fault);

// Notes that a type was there before, with another interface.
void report_second(const Prototype& before, const Prototype& second);

}  // namespace opweld::npu::prototypes
