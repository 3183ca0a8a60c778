#include "cli/arguments/run_options.h"

#include "base/number/number_format.h"
#include "cli/arguments/number_formats.h"
#include "cli/command.h"

namespace quench::cli {

void RunArguments::add_to(App& command, bool bits) {
  command
      .add_option("--dtype", dtype_,
                  "Number format: f64 f32 bf16 f16 bf16-pure f16-pure f8e4m3 f8e5m2, or m8 … m20 (emulated)")
      ->check(number_format_name())
      ->type_name("FORMAT")
      ->capture_default_str();
  std::vector<std::string> engines{"reference", "dense", "structured", "auto"};
  if (bits) engines.emplace_back("bits");
  command
      .add_option("--engine", engine_,
                  std::string("reference, dense, structured, or auto (structured for f64 and f32)") +
                      (bits ? "; bits: the formula itself, where a certificate allows it" : ""))
      ->check(one_of(engines))
      ->type_name("ENGINE")
      ->capture_default_str();
  command.add_option("--weighting", weighting_, "soft, or the hard attention each head stands for")
      ->check(one_of({"soft", "hard"}))
      ->type_name("WEIGHTING")
      ->capture_default_str();
}

run::Options RunArguments::options() const { return {*number_format_from(dtype_), weighting_ == "hard"}; }

run::Engine RunArguments::engine() const { return *run::engine_from(engine_); }

}  // namespace quench::cli
