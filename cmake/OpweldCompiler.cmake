# Language level, warnings, sanitizers and the compiler cache, for every target of the project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_program(OPWELD_CCACHE ccache)
if(OPWELD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${OPWELD_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${OPWELD_CCACHE}")
endif()

add_library(opweld_options INTERFACE)
# GCC 12 warns of overlaps in std::string's operator+ that cannot happen (GCC bug 105651).
target_compile_options(opweld_options INTERFACE -Wall -Wextra -Werror
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)

if(OPWELD_SANITIZE)
    set(opweld_sanitize_flags -fsanitize=${OPWELD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_compile_options(${opweld_sanitize_flags})
    add_link_options(${opweld_sanitize_flags})
endif()
