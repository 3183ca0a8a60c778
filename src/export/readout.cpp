#include "export/readout.h"

#include "base/error.h"
#include "base/text/word_text.h"

namespace quench::exports {

namespace {

constexpr double kLogitScale = 20;
constexpr double kLogitStep = 2;

Readout boolean_readout(const model::Transformer& model) {
  Readout readout{{"no", "yes"}, Matrix(2, model.width), {kLogitScale / 2, -kLogitScale / 2}};
  readout.weight(0, model.output.coordinate) = -kLogitScale;
  readout.weight(1, model.output.coordinate) = kLogitScale;
  return readout;
}

/// What stands in the coordinate at the end, if its range says that it is one number.
double constant_denominator(const model::Transformer& model) {
  const model::Tenant* last = nullptr;
  for (const model::Tenant& tenant : model.tenants)
    if (tenant.coordinate == model.output.coordinate && (!last || tenant.to > last->to)) last = &tenant;
  if (!last || !last->low || last->low != last->high || !(*last->low >= 1))
    throw UserError(
        "this model puts out quotients whose denominators differ from position to position, and the labels of this "
        "target have one scale; export it to onnx");
  return *last->low;
}

Readout case_readout(const model::Transformer& model) {
  const bool string = model.output.kind == model::OutputKind::string;
  const double unit = model.output.kind == model::OutputKind::ratios ? 1 / constant_denominator(model) : 1;
  Readout readout{case_names(model), {}, {}};
  if (string) readout.labels.push_back("[UNK]");
  readout.weight = Matrix(readout.labels.size(), model.width);
  readout.bias.assign(readout.labels.size(), 0.0);
  const std::size_t count = model.output.cases.size();
  for (std::size_t index = 0; index < count; ++index) {
    const double scale = string ? kLogitScale + kLogitStep * static_cast<double>(count - 1 - index) : unit;
    readout.weight(index, model.output.cases[index].coordinate) = scale;
    if (string) readout.bias[index] = -scale / 2;
  }
  return readout;
}

}  // namespace

std::vector<std::string> case_names(const model::Transformer& model) {
  std::vector<std::string> names;
  for (const model::Output::Case& one : model.output.cases)
    names.push_back(one.symbols.empty() ? "value" : joined_symbols(model.alphabet, one.symbols));
  return names;
}

bool has_scores(const model::Output& output) {
  return output.kind == model::OutputKind::scores || output.kind == model::OutputKind::ratios;
}

Readout readout_of(const model::Transformer& model) {
  switch (model.output.kind) {
    case model::OutputKind::boolean:
      return boolean_readout(model);
    case model::OutputKind::string:
    case model::OutputKind::scores:
    case model::OutputKind::ratios:
      return case_readout(model);
    case model::OutputKind::integer:
    case model::OutputKind::whole:
      throw UserError("this model puts out whole numbers, and this target has a label per answer; export it to onnx");
  }
  throw InternalError("output of unknown kind");
}

}  // namespace quench::exports
