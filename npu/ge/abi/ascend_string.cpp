#include "graph/ascend_string.h"

#include <string_view>

namespace ge {

namespace {

std::string_view view(const std::shared_ptr<std::string>& text) {
    return text ? std::string_view(*text) : std::string_view();
}

}  // namespace

AscendString::AscendString(const char* text)
    : text_(text == nullptr ? nullptr : std::make_shared<std::string>(text)) {}

AscendString::AscendString(const char* text, std::size_t length)
    : text_(text == nullptr ? nullptr : std::make_shared<std::string>(text, length)) {}

const char* AscendString::GetString() const { return text_ ? text_->c_str() : ""; }
std::size_t AscendString::GetLength() const { return view(text_).size(); }
std::size_t AscendString::Find(const AscendString& part) const { return view(text_).find(view(part.text_)); }

bool AscendString::operator<(const AscendString& other) const { return view(text_) < view(other.text_); }
bool AscendString::operator>(const AscendString& other) const { return view(text_) > view(other.text_); }
bool AscendString::operator<=(const AscendString& other) const { return view(text_) <= view(other.text_); }
bool AscendString::operator>=(const AscendString& other) const { return view(text_) >= view(other.text_); }
bool AscendString::operator==(const AscendString& other) const { return view(text_) == view(other.text_); }
bool AscendString::operator!=(const AscendString& other) const { return view(text_) != view(other.text_); }

}  // namespace ge
