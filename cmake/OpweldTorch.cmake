# The installed torch as an imported target `opweld_torch` (headers, libtorch_cpu, libc10), without Python.
# Headers are SYSTEM: their warnings are not ours. Include per-operator ATen headers only.

find_package(Python COMPONENTS Interpreter REQUIRED)
execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
            "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE OPWELD_TORCH_DIR
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE opweld_torch_missing)
if(opweld_torch_missing)
    message(FATAL_ERROR "torch is not installed for ${Python_EXECUTABLE}: run scripts/setup first")
endif()

if(TARGET opweld_torch)
    return()
endif()
add_library(opweld_torch INTERFACE)
target_include_directories(opweld_torch SYSTEM INTERFACE
    "${OPWELD_TORCH_DIR}/include" "${OPWELD_TORCH_DIR}/include/torch/csrc/api/include")
target_compile_definitions(opweld_torch INTERFACE AT_PER_OPERATOR_HEADERS _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(opweld_torch INTERFACE
    "${OPWELD_TORCH_DIR}/lib/libtorch_cpu.so" "${OPWELD_TORCH_DIR}/lib/libc10.so")
