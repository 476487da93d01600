// A symbolic integer or bool for tests: a node that knows its value but gives it away only to a guard.
#pragma once

#include <c10/core/SymBool.h>
#include <c10/core/SymInt.h>
#include <c10/core/SymNodeImpl.h>

#include <algorithm>
#include <string>

#include "opweld/expr/common.h"

namespace opweld::testing {

class TestNode : public c10::SymNodeImpl {
  public:
    TestNode(std::int64_t value, bool is_bool) : value_(value), is_bool_(is_bool) {}

    bool is_int() override { return !is_bool_; }
    bool is_float() override { return false; }
    bool is_bool() override { return is_bool_; }
    bool is_nested_int() const override { return false; }
    bool has_hint() override { return true; }

    c10::SymNode add(const c10::SymNode& other) override { return integer(value_ + of(other)); }
    c10::SymNode sub(const c10::SymNode& other) override { return integer(value_ - of(other)); }
    c10::SymNode mul(const c10::SymNode& other) override { return integer(value_ * of(other)); }
    // As torch.fx's symbolic shapes: division rounds down.
    c10::SymNode floordiv(const c10::SymNode& other) override {
        return integer(expr::detail::floor_div(value_, of(other)));
    }
    c10::SymNode int_floordiv(const c10::SymNode& other) override { return floordiv(other); }
    c10::SymNode mod(const c10::SymNode& other) override {
        return integer(expr::detail::mod(value_, of(other)));
    }
    c10::SymNode neg() override { return integer(-value_); }
    c10::SymNode sym_min(const c10::SymNode& other) override { return integer(std::min(value_, of(other))); }
    c10::SymNode sym_max(const c10::SymNode& other) override { return integer(std::max(value_, of(other))); }
    c10::SymNode eq(const c10::SymNode& other) override { return boolean(value_ == of(other)); }
    c10::SymNode ne(const c10::SymNode& other) override { return boolean(value_ != of(other)); }
    c10::SymNode lt(const c10::SymNode& other) override { return boolean(value_ < of(other)); }
    c10::SymNode le(const c10::SymNode& other) override { return boolean(value_ <= of(other)); }
    c10::SymNode gt(const c10::SymNode& other) override { return boolean(value_ > of(other)); }
    c10::SymNode ge(const c10::SymNode& other) override { return boolean(value_ >= of(other)); }
    c10::SymNode sym_and(const c10::SymNode& other) override {
        return boolean(value_ != 0 && of(other) != 0);
    }
    c10::SymNode sym_or(const c10::SymNode& other) override { return boolean(value_ != 0 || of(other) != 0); }
    c10::SymNode sym_not() override { return boolean(value_ == 0); }
    c10::SymNode clone() override { return c10::make_intrusive<TestNode>(value_, is_bool_); }
    c10::SymNode wrap_int(std::int64_t value) override { return integer(value); }
    c10::SymNode wrap_bool(bool value) override { return boolean(value); }

    std::int64_t guard_int(const char* /*file*/, std::int64_t /*line*/) override { return value_; }
    bool guard_bool(const char* /*file*/, std::int64_t /*line*/) override { return value_ != 0; }
    bool guard_size_oblivious(const char* /*file*/, std::int64_t /*line*/) override { return value_ != 0; }
    bool guard_or_false(const char* /*file*/, std::int64_t /*line*/) override { return value_ != 0; }
    bool guard_or_true(const char* /*file*/, std::int64_t /*line*/) override { return value_ != 0; }
    bool expect_true(const char* /*file*/, std::int64_t /*line*/) override { return value_ != 0; }

    std::string str() override { return std::to_string(value_); }

  private:
    static c10::SymNode integer(std::int64_t value) { return c10::make_intrusive<TestNode>(value, false); }
    static c10::SymNode boolean(bool value) { return c10::make_intrusive<TestNode>(value ? 1 : 0, true); }
    static std::int64_t of(const c10::SymNode& node) {
        return node->is_bool() ? static_cast<std::int64_t>(node->guard_bool(__FILE__, __LINE__))
                               : node->guard_int(__FILE__, __LINE__);
    }

    std::int64_t value_;
    bool is_bool_;
};

inline c10::SymInt make_symbolic(const c10::SymInt& size) {
    return c10::SymInt(
        c10::SymNode(c10::make_intrusive<TestNode>(size.guard_int(__FILE__, __LINE__), false)));
}

}  // namespace opweld::testing
