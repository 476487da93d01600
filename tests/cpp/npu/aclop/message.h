// The calling thread's error text, for assertions.
#pragma once

#include <string>

extern "C" const char* aclGetRecentErrMsg();

inline std::string message() {
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
}

inline bool message_has(const std::string& part) { return message().find(part) != std::string::npos; }
