#include "base/text/utf8.h"

#include <gtest/gtest.h>

namespace quench {
namespace {

TEST(Utf8, EveryCharacterSurvivesEncodingAndDecoding) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string bytes = encode_utf8(code);
    const Utf8Char character = decode_utf8(bytes, 0);
    ASSERT_TRUE(character.valid);
    ASSERT_EQ(character.code, code);
    ASSERT_EQ(character.length, bytes.size());
  }
}

TEST(Utf8, MalformedSequencesAreOneInvalidByte) {
  for (const std::string bytes : {"\x80", "\xff", "\xc0\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                  "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xc3(", "\xf8\x88\x80\x80\x80"}) {
    const Utf8Char character = decode_utf8(bytes, 0);
    EXPECT_FALSE(character.valid) << testing::PrintToString(bytes);
    EXPECT_EQ(character.length, 1u);
    EXPECT_FALSE(valid_utf8(bytes));
  }
}

TEST(Utf8, AllPairsOfBytesDecodeWithinRange) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string bytes{static_cast<char>(a), static_cast<char>(b)};
      EXPECT_LE(decode_utf8(bytes, 0).length, 2u);
      EXPECT_EQ(decode_utf8(bytes, 1).length, 1u);
    }
}

TEST(Utf8, PrintableReplacesWhatCannotBeShown) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\uFFFDx");
  EXPECT_EQ(printable("\u202Eabc"), "\uFFFDabc");
  EXPECT_EQ(printable("φ\xff"), "φ\uFFFD");
  EXPECT_EQ(printable("äöü", 2), "äö…");
}

TEST(Utf8, NamesAreLettersOfAnyScriptButNoSigns) {
  for (const char32_t code : U"aZ0_φжé字₁") {
    EXPECT_TRUE(code == 0 || is_name_character(code)) << static_cast<unsigned>(code);
  }
  for (const char32_t code : U" #'→∧⊖¬×·≤😀\u00A0\u2028") {
    EXPECT_FALSE(is_name_character(code)) << static_cast<unsigned>(code);
  }
}

}  // namespace
}  // namespace quench
