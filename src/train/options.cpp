#include "train/options.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace quench::train {
namespace {

void need(bool condition, const std::string& complaint) {
  if (!condition) throw UserError(complaint);
}

void check_shape(const Options& options) {
  need(options.layers >= 1 && options.layers <= 64, "a trained network has 1 to 64 layers");
  need(options.heads >= 1 && options.heads <= 64, "a trained network has 1 to 64 heads per layer");
  need(options.width >= 1 && options.width <= 1024, "the width must be from 1 to 1024");
  need(options.width % options.heads == 0,
       fmt::format("{} heads cannot share a width of {}; take a width that is a multiple of {}", options.heads,
                   options.width, options.heads));
  need(options.hidden <= 16384, "more than 16384 hidden units are not supported");
  need(options.positions.size() < options.width,
       fmt::format("{} position encodings need a width of at least {}", options.positions.size(),
                   options.positions.size() + 1));
  for (const std::string& name : options.positions) {
    const auto kind = position_kind_from(name);
    need(kind && *kind < PositionFormula::Kind::predicate,
         fmt::format("unknown position encoding '{}'; known are i, i^2, n, i*n, i^2*n, i/n, 1/i, 1/(n-i+1), (-1)^i", name));
  }
  need(options.mask.empty() || mask_from(options.mask), fmt::format("unknown mask '{}'", options.mask));
}

void check_walk(const Options& options) {
  need(options.length >= 1 && options.length <= 4096, "training words have length 1 to 4096");
  need(options.batch >= 1 && options.batch <= 65536, "a batch has 1 to 65536 words");
  need(options.steps >= 1, "training takes at least one step");
  need(options.rate > 0 && options.rate <= 10, "the learning rate must be above 0 and at most 10");
  need(options.last_rate >= 0 && options.last_rate <= 1, "the last learning rate is a share, from 0 to 1");
  need(options.clip > 0, "the gradient's largest norm must be above 0");
  need(options.tau_from >= 1e-6 && options.tau_from <= 1e6 && options.tau_to >= 1e-6 && options.tau_to <= 1e6,
       "temperatures to anneal between must be from 1e-6 to 1e6, as in 2:0.5");
  need(std::isfinite(options.entropy), "the weight of the entropy must be a finite number");
}

}  // namespace

void check(const Options& options) {
  check_shape(options);
  check_walk(options);
}

std::string to_json(const Options& options) {
  nlohmann::ordered_json json;
  json["layers"] = options.layers;
  json["heads"] = options.heads;
  json["width"] = options.width;
  json["hidden"] = options.hidden;
  json["positions"] = options.positions;
  json["mask"] = options.mask;
  json["length"] = options.length;
  json["batch"] = options.batch;
  json["unmentioned"] = options.unmentioned;
  json["target"] = options.target == Target::every_position ? "every position" : "last position";
  json["steps"] = options.steps;
  json["seed"] = options.seed;
  json["rate"] = options.rate;
  json["warm_up"] = options.warm_up;
  json["last_rate"] = options.last_rate;
  json["clip"] = options.clip;
  json["anneal"] = {options.tau_from, options.tau_to};
  json["entropy"] = options.entropy;
  return json.dump();
}

}  // namespace quench::train
