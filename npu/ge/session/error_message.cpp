// ge::GEGetErrorMsg crosses to a library that was built with libstdc++'s older std::string, so this file is,
// too (see CMakeLists.txt).
#include <string>

#include "npu/runtime/interface.h"

static_assert(_GLIBCXX_USE_CXX11_ABI == 0, "this file must be compiled with the older std::string");

extern "C" const char* aclGetRecentErrMsg();

namespace ge {

OPWELD_EXPORT std::string GEGetErrorMsg();

std::string GEGetErrorMsg() {
    const char* message = aclGetRecentErrMsg();
    return message == nullptr ? std::string() : std::string(message);
}

}  // namespace ge
