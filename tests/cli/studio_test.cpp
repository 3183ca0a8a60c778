// quench studio from the outside: it says where it is, ends when it is told to, and says why it cannot begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shell.h"

namespace quench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Starts a studio, does something while $port is its port, and ends it by a signal.
test::Finished with_studio(const std::string& something, const test::TemporaryDirectory& directory) {
  return test::shell("quench studio --port 0 >address 2>notes & studio=$!; "
                     "until grep -q http address || ! kill -0 $studio; do sleep 0.05; done; "
                     "port=$(sed 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/' address); " +
                         something + "; kill -TERM $studio; wait $studio; echo ended with $?; cat address",
                     directory.path());
}

TEST(StudioCommand, SaysWhereItIsAndEndsWhenToldTo) {
  const test::TemporaryDirectory directory;
  const test::Finished finished = with_studio("true", directory);
  EXPECT_THAT(finished.out, StartsWith("ended with 0\nhttp://127.0.0.1:"));
}

TEST(StudioCommand, APortThatIsTakenIsAnErrorOfTheWorld) {
  const test::TemporaryDirectory directory;
  const test::Finished finished = with_studio("quench studio --port $port; echo second $?", directory);
  EXPECT_THAT(finished.out, HasSubstr("second 3\n"));
  EXPECT_THAT(finished.err, HasSubstr("cannot listen on 127.0.0.1:"));
  EXPECT_THAT(finished.err, HasSubstr("--port"));
}

TEST(StudioCommand, PortsAreChecked) {
  const test::TemporaryDirectory directory;
  for (const char* port : {"-1", "65536", "x", "1.5", ""})
    EXPECT_EQ(test::shell(std::string("quench studio --port '") + port + "'", directory.path()).exit_code, 2) << port;
}

}  // namespace
}  // namespace quench
