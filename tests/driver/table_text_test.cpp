#include "driver/table_text.h"

#include <gtest/gtest.h>

namespace quench::driver {
namespace {

const Table kTable{
    "t", {"name", "size", "why it is so"}, {{"first", "10", "a reason of some ten words in all"}, {"ö", "", ""}}};

std::string drawn(std::size_t columns) { return table_text(kTable, columns); }

TEST(TableText, IsOneLinePerRowWhereThereIsRoom) {
  const std::string wide =
      "t\n  name   size  why it is so\n"
      "  first  10    a reason of some ten words in all\n"
      "  ö            \n";
  EXPECT_EQ(drawn(1000), wide);
  EXPECT_EQ(drawn(48), wide);
}

TEST(TableText, FoldsTheLastColumnUnderItself) {
  EXPECT_EQ(drawn(40),
            "t\n  name   size  why it is so\n"
            "  first  10    a reason of some ten\n"
            "               words in all\n"
            "  ö            \n");
}

TEST(TableText, PutsBelowTheRowWhatHasNoRoomBesideIt) {
  EXPECT_EQ(drawn(30),
            "t\n"
            "  name   size\n"
            "  first  10\n"
            "        why it is so: a reason\n"
            "        of some ten words in\n"
            "        all\n"
            "  ö      \n");
}

TEST(TableText, CutsNothing) {
  const Table table{"a title of four words", {"a", "b", "c"}, {{"unbreakable-text-of-forty-columns-in-all", "x", "y"}}};
  EXPECT_EQ(table_text(table, 20),
            "a title of four\n  words\n  a\n  unbreakable-text-of-forty-columns-in-all\n        b: x; c: y\n");
}

}  // namespace
}  // namespace quench::driver
