// Good specs, changed at random: whatever comes out, the loader reports it and doesn't crash. What still
// loads can be written and loaded again.
#include <random>

#include "support.h"

namespace opweld::spec::test {
namespace {

constexpr int kRounds = 500;  // for each of the two specs

class Mutator {
  public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutate(std::string text) {
        const std::size_t changes = 1 + pick(4);
        for (std::size_t round = 0; round < changes && !text.empty(); ++round) {
            change(text);
        }
        return text;
    }

  private:
    std::size_t pick(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
    }

    void change(std::string& text) {
        static const std::vector<std::string> kPieces = {"\t",
                                                         "\n",
                                                         "---\n",
                                                         "[",
                                                         "]",
                                                         "{",
                                                         "}",
                                                         "\"",
                                                         "'",
                                                         ": ",
                                                         ", ",
                                                         "- ",
                                                         "#",
                                                         "&a ",
                                                         "*a",
                                                         "!t ",
                                                         "null",
                                                         "none",
                                                         "true",
                                                         "-1",
                                                         "1e9",
                                                         "|\n",
                                                         ">\n",
                                                         "\x01",
                                                         "\xff",
                                                         "%",
                                                         "op: ",
                                                         "x",
                                                         "shape",
                                                         "type",
                                                         "any_of(",
                                                         "[][]",
                                                         "?",
                                                         "?[]",
                                                         "(",
                                                         ")",
                                                         "if",
                                                         "else",
                                                         "for i in",
                                                         "..",
                                                         "bind: {a: 1}\n",
                                                         "prototype_of: npu_my_scale\n",
                                                         "schema: \"f(Tensor x) -> Tensor\"\n"};
        const std::size_t at = pick(text.size());
        switch (pick(6)) {
            case 0:
                text[at] = static_cast<char>(pick(256));
                break;
            case 1:
                text.erase(at, 1 + pick(12));
                break;
            case 2:
                text.insert(at, kPieces[pick(kPieces.size())]);
                break;
            case 3: {  // a line less
                const std::size_t start = text.rfind('\n', at);
                const std::size_t from = start == std::string::npos ? 0 : start + 1;
                text.erase(from, text.find('\n', from) - from + 1);
                break;
            }
            case 4: {  // a line twice
                const std::size_t start = text.rfind('\n', at);
                const std::size_t from = start == std::string::npos ? 0 : start + 1;
                const std::string line = text.substr(from, text.find('\n', from) - from + 1);
                text.insert(from, line);
                break;
            }
            default: {  // a word somewhere else
                const std::string word = text.substr(at, 1 + pick(20));
                text.insert(pick(text.size()), word);
            }
        }
    }

    std::mt19937 random_;
};

void survive(const std::string& file, unsigned seed) {
    const std::string original = read(data_dir() / "good" / file);
    Mutator mutator(seed);
    CheckOptions options;
    options.check_files = false;
    int faulty = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::string text = mutator.mutate(original);
        const LoadResult result = load_text(text, file, options);
        render_text(result.diagnostics);
        render_json(result.diagnostics);
        if (!result.package) {
            ++faulty;
            ASSERT_FALSE(result.diagnostics.empty()) << text;
            continue;
        }
        const std::string written = write_yaml(*result.package);
        const LoadResult again = load_text(written, file, options);
        ASSERT_TRUE(again.package) << "round " << round << "\n" << listed(again.diagnostics) << written;
        ASSERT_EQ(model_json(*again.package), model_json(*result.package)) << "round " << round;
    }
    EXPECT_GT(faulty, kRounds / 2);
}

TEST(Mutations, OfTheTutorial) { survive("custom_linear.yaml", 20240501); }
TEST(Mutations, OfEverything) { survive("everything.yaml", 20240502); }

}  // namespace
}  // namespace opweld::spec::test
