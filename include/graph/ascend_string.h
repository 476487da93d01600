// A text that crosses between libraries built with either of libstdc++'s std::string.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "graph/ge_error_codes.h"

namespace ge {

// Immutable: copies share the text. A null pointer gives the empty text.
class OPWELD_GE_API AscendString {
  public:
    AscendString() = default;
    AscendString(const char* text);
    AscendString(const char* text, std::size_t length);

    // Ends with a zero, never null, valid as long as this or a copy lives.
    const char* GetString() const;
    std::size_t GetLength() const;
    // Where `part` begins for the first time, or std::string::npos.
    std::size_t Find(const AscendString& part) const;

    bool operator<(const AscendString& other) const;
    bool operator>(const AscendString& other) const;
    bool operator<=(const AscendString& other) const;
    bool operator>=(const AscendString& other) const;
    bool operator==(const AscendString& other) const;
    bool operator!=(const AscendString& other) const;

  private:
    std::shared_ptr<std::string> text_;  // its only member: callers destroy it inline
};

}  // namespace ge
