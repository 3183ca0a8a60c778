// The studio under load: every answer right, nobody left waiting, memory within bounds. bench/studio_load.cpp does the
// same for as long as one likes, with figures.
#include "studio/load.h"

#include <gtest/gtest.h>

#include <thread>

#include "studio/studio.h"

namespace quench::studio {
namespace {

void endure(double seconds) {
  Studio studio(Options{});
  std::thread server([&] { studio.serve(); });
  const LoadReport report = run_load(studio.port(), 64, seconds);
  studio.stop();
  server.join();
  EXPECT_GT(report.answers, 100u);
  EXPECT_EQ(report.wrong, 0u);
  EXPECT_EQ(report.unanswered, 0u);
  for (const std::string& mistake : report.mistakes) ADD_FAILURE() << mistake;
}

TEST(Load, ManyClientsAreAnsweredRight) { endure(3); }
TEST(Load, SlowManyClientsAreAnsweredRightForAMinute) { endure(60); }

}  // namespace
}  // namespace quench::studio
