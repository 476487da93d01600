// Random well-typed expressions over sample_scope().
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace opweld::spec::expr {

class RandomExpression {
  public:
    explicit RandomExpression(std::uint32_t seed) : random_(seed) {}

    // The text of an expression of some type; deterministic for a seed.
    std::string next();

  private:
    std::size_t pick(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }
    std::string one_of(const std::vector<std::string>& texts) { return texts[pick(texts.size())]; }

    std::string integer(int depth);
    std::string floating(int depth);
    std::string boolean(int depth);
    std::string dtype(int depth);
    std::string string(int depth);
    std::string int_list(int depth);
    std::string float_list(int depth);
    std::string list_of_lists(int depth);
    std::string tensor(int depth);
    std::string guarded(int depth, std::string (RandomExpression::*part)(int));
    std::string loop(int depth, std::string (RandomExpression::*item)(int));

    std::mt19937 random_;
    std::vector<std::string> variables_;  // loop variables of type int in scope
    std::set<std::string> present_;       // optional names known to be present
};

}  // namespace opweld::spec::expr
