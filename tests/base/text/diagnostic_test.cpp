#include "base/text/diagnostic.h"

#include <gtest/gtest.h>

#include "base/number/random.h"
#include "base/text/explain.h"
#include "base/text/utf8.h"

namespace quench {
namespace {

std::string rendered(std::string_view source, Span span, std::vector<std::string> notes = {}) {
  return render({{"E009", "message", span, std::move(notes)}}, source, "rule.tl");
}

TEST(Render, ShowsPlaceLineCaretAndNotes) {
  EXPECT_EQ(rendered("Q_a\nQ_b & Q_c\n", {8, 9}, {"hint"}),
            "rule.tl:2:5: error E009: message\n"
            " 2 | Q_b & Q_c\n"
            "   |     ^\n"
            "   = hint\n");
}

TEST(Render, UnderlinesTheWholeSpan) {
  EXPECT_EQ(rendered("Q_a & foo", {6, 9}),
            "rule.tl:1:7: error E009: message\n"
            " 1 | Q_a & foo\n"
            "   |       ^~~\n");
}

TEST(Render, AlignsUnderTabsAndWideCharacters) {
  EXPECT_EQ(rendered("\tx", {1, 2}), "rule.tl:1:2: error E009: message\n 1 |     x\n   |     ^\n");
  EXPECT_EQ(rendered("φ字x", {5, 6}), "rule.tl:1:3: error E009: message\n 1 | φ字x\n   |    ^\n");
  EXPECT_EQ(rendered("字", {0, 3}), "rule.tl:1:1: error E009: message\n 1 | 字\n   | ^~\n");
}

TEST(Render, AnEmptySpanAtTheEndStillHasACaret) {
  EXPECT_EQ(rendered("abc", {3, 3}), "rule.tl:1:4: error E009: message\n 1 | abc\n   |    ^\n");
  EXPECT_EQ(rendered("", {0, 0}), "rule.tl:1:1: error E009: message\n 1 | \n   | ^\n");
  EXPECT_EQ(rendered("a\r\nb", {1, 1}), "rule.tl:1:2: error E009: message\n 1 | a\n   |  ^\n");
}

TEST(Render, CutsLongLinesAroundTheSpan) {
  std::string source(10001, 'a');
  source[5000] = 'X';
  const std::string text = rendered(source, {5000, 5001});
  EXPECT_LT(text.size(), 400u);
  const std::size_t line = text.find(" 1 | "), marks = text.find("   | ");
  const std::size_t caret = text.find('^') - marks;
  // The ellipsis before the excerpt has three bytes and one column.
  EXPECT_EQ(text[line + caret + 2], 'X');
}

TEST(Render, AnyBytesAndAnySpanAreSafe) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string source(random.below(60), ' ');
    for (char& c : source) c = static_cast<char>(random.below(4) == 0 ? '\n' : random.below(256));
    const std::size_t begin = random.below(80);
    const std::string text = rendered(source, {begin, random.below(80)}, {source});
    EXPECT_TRUE(valid_utf8(text));
    for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ');
  }
}

TEST(Explain, FindsEveryCodeInAnyCase) {
  EXPECT_GE(all_explanations().size(), 33u);
  for (const Explanation& entry : all_explanations()) {
    EXPECT_EQ(explain(entry.code), &entry);
    EXPECT_FALSE(entry.title.empty() || entry.text.empty() || entry.wrong.empty() || entry.right.empty());
  }
  EXPECT_EQ(explain("e009"), explain("E009"));
  EXPECT_EQ(explain("E999"), nullptr);
  EXPECT_EQ(explain(""), nullptr);
}

}  // namespace
}  // namespace quench
