// The job script of docs/cluster.md, with programs in the places of srun and scontrol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/examples.h"
#include "support/paths.h"
#include "support/shell.h"

namespace quench {
namespace {

class SlurmScript : public testing::Test {
 protected:
  void SetUp() override {
    const std::string document = test::read_text(test::source_path("docs/cluster.md"));
    const std::size_t begin = document.find("#!/bin/bash"), end = document.find("```", begin);
    ASSERT_NE(end, std::string::npos);
    write("job", document.substr(begin, end - begin));
    write("scontrol", "#!/bin/sh\necho \"scontrol $*\" >>log\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    std::filesystem::permissions(folder_.path() / name, std::filesystem::perms::owner_all);
  }
  /// The exit code of the job whose srun does this, and behind it what was called.
  std::string run(const std::string& srun, const std::string& meanwhile = "") const {
    write("srun", "#!/bin/sh\necho srun >>log\n" + srun + "\n");
    return test::shell("rm -f log\nexport SLURM_JOB_ID=7\n(PATH=\"$PWD:$PATH\" exec bash ./job) & " + meanwhile +
                           " wait $!\necho $?; cat log",
                       folder_.path())
        .out;
  }

  const test::TemporaryDirectory folder_;
};

TEST_F(SlurmScript, StartsAgainAfterAccidentsOnly) {
  EXPECT_EQ(run("exit 0"), "0\nsrun\n");
  EXPECT_EQ(run("exit 1"), "1\nsrun\n") << "a finding";
  EXPECT_EQ(run("exit 3"), "3\nsrun\n") << "files";
  EXPECT_EQ(run("exit 137").substr(0, 14), "137\nsrun\nsrun\n");
}

/// The journal has one writer: no second srun while the first one may be alive.
TEST_F(SlurmScript, LeavesWhenItsTimeIsUp) {
  EXPECT_EQ(run("exec sleep 3", "while [ ! -s log ]; do sleep 0.02; done; sleep 0.2; kill -TERM $!;"),
            "0\nsrun\nscontrol requeue 7\n");
}

}  // namespace
}  // namespace quench
