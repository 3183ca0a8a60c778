// One file per command: each adds itself to the program and does its work in a callback.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace quench::cli {

enum ExitCode : int { kDone = 0, kNegative = 1, kUserText = 2, kFiles = 3, kInternal = 70 };

/// A negative finding (a counterexample, a refused length): the command has said so; the program ends with 1.
struct NegativeFinding {};

/// The user's text was at fault, and this is the text with carets.
struct RenderedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gives a command its usage line: "quench run [OPTIONS] (MODEL | -e TEXT) WORD...".
void set_usage(CLI::App& command, const std::string& arguments);

/// One of these values; the help text of the option lists them, not the type name.
CLI::Validator one_of(std::vector<std::string> values);

void add_compile(CLI::App& program);
void add_certify(CLI::App& program);
void add_check(CLI::App& program);
void add_run(CLI::App& program);
void add_eval(CLI::App& program);
void add_verify(CLI::App& program);
void add_show(CLI::App& program);
void add_trace(CLI::App& program);
void add_attend(CLI::App& program);
void add_words(CLI::App& program);
void add_translate(CLI::App& program);
void add_diff(CLI::App& program);
void add_train(CLI::App& program);
void add_harden(CLI::App& program);
void add_soften(CLI::App& program);
void add_bench(CLI::App& program);
/// `quench bench attention`
void add_bench_attention(CLI::App& bench);
void add_lab(CLI::App& program);
void add_explain(CLI::App& program);

}  // namespace quench::cli
