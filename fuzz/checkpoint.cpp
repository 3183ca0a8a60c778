// Bytes → checkpoint of a training run, or an error; what loads can be trained on.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "driver/compile.h"
#include "fuzz/expect.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("quench-fuzz-" + std::to_string(::getpid()));
  static train::Trainer trainer = [] {
    train::Options options;
    options.layers = 1;
    options.heads = 1;
    options.width = 4;
    options.hidden = 4;
    options.length = 4;
    options.batch = 1;
    options.steps = 8;
    return train::Trainer(driver::parse("Q_a"), options);
  }();
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    train::load_checkpoint(trainer, path);
    static_cast<void>(trainer.model());
  } catch (const IoError&) {
  } catch (const UserError&) {
  }
  return 0;
}
