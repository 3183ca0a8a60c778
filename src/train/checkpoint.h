// A training run on disk: stopped here and resumed there, it ends in the same bits as one that never stopped.
//
// The file is one line of JSON (what is trained and how far it is), then parameters and both of Adam's vectors as
// little-endian doubles. Words need no state: each is drawn from the seed, the step and its place in the batch.
#pragma once

#include <filesystem>

#include "train/trainer.h"

namespace quench::train {

/// All of it or nothing, so that a run killed meanwhile leaves the checkpoint before. Throws IoError.
void save_checkpoint(const Trainer& trainer, const std::filesystem::path& path);

/// Sets the trainer to where the file says. Throws IoError if the file cannot be read or is none of ours, UserError if
/// it belongs to another rule or to other options.
void load_checkpoint(Trainer& trainer, const std::filesystem::path& path);

}  // namespace quench::train
