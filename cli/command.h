// One file per command: each adds itself to the program and does its work in a callback.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "cli/arguments/options.h"

namespace quench::cli {

enum ExitCode : int { kDone = 0, kNegative = 1, kUserText = 2, kFiles = 3, kInternal = 70 };

/// A negative finding (a counterexample, a refused length): the command has said so; the program ends with 1.
struct NegativeFinding {
  std::string refused = {};  ///< why there is no report, if the finding is that there is none
};

/// The user's text was at fault: what is wrong with it, and the text it is about.
struct RenderedError : std::runtime_error {
  RenderedError(std::vector<Diagnostic> found, std::string text, std::string name)
      : std::runtime_error(found.empty() ? "error" : found.front().message),
        diagnostics(std::move(found)),
        source(std::move(text)),
        source_name(std::move(name)) {}
  std::vector<Diagnostic> diagnostics;
  std::string source, source_name;
};

void add_compile(App& program);
void add_certify(App& program);
void add_check(App& program);
void add_run(App& program);
void add_eval(App& program);
void add_verify(App& program);
void add_show(App& program);
void add_trace(App& program);
void add_attend(App& program);
void add_studio(App& program);
void add_words(App& program);
void add_translate(App& program);
void add_decide(App& program);
void add_diff(App& program);
void add_train(App& program);
void add_harden(App& program);
void add_soften(App& program);
void add_export(App& program);
void add_circuits(App& program);
void add_bench(App& program);
/// `quench bench attention`
void add_bench_attention(App& bench);
void add_lab(App& program);
void add_explain(App& program);
void add_help(App& program);

}  // namespace quench::cli
