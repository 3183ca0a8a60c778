// Model files with something changed in them, by seed: weights, tensors, the document, the certificate, the container.
#pragma once

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/number/random.h"
#include "model/file.h"
#include "support/examples.h"
#include "support/mutated_json.h"

namespace quench::test {

/// A file taken apart so that its parts can be changed; `bytes` puts it together again.
class MutatedFile {
 public:
  explicit MutatedFile(const std::filesystem::path& path) {
    const std::string text = read_text(path);
    std::uint64_t length = 0;
    std::memcpy(&length, text.data(), sizeof length);
    header_ = Json::parse(text.substr(8, length));
    document_ = Json::parse(header_.at("__metadata__").at("quench").get<std::string>());
    header_.erase("__metadata__");
    data_.resize((text.size() - 8 - length) / sizeof(double));
    std::memcpy(data_.data(), text.data() + 8 + length, data_.size() * sizeof(double));
  }

  Json& document() { return document_; }

  std::string bytes() const {
    Json header = header_;
    header["__metadata__"] = {{"format", "quench"},
                              {"quench", document_.dump(-1, ' ', false, Json::error_handler_t::replace)}};
    std::string text = header.dump();
    while ((text.size() + 8) % 8 != 0) text += ' ';
    const std::uint64_t length = text.size();
    std::string result(reinterpret_cast<const char*>(&length), sizeof length);
    result += text;
    result.append(reinterpret_cast<const char*>(data_.data()), data_.size() * sizeof(double));
    return result;
  }

  /// One change of a random kind, unless an earlier change has taken away what it would be made to. `sources` are rules
  /// that may be put in the place of the file's own.
  void mutate(Random& random, const std::vector<std::string>& sources) {
    try {
      change_something(random, sources);
    } catch (const Json::exception&) {
    }
  }

 private:
  void change_something(Random& random, const std::vector<std::string>& sources) {
    switch (random.below(12)) {
      case 0: {  // a tensor is zeroed
        const Tensor tensor = any_tensor(random);
        std::fill_n(data_.begin() + tensor.begin, tensor.size, 0.0);
        return;
      }
      case 1:
      case 2: {  // a weight
        const Tensor tensor = any_tensor(random);
        if (tensor.size > 0) change_number(random, data_[tensor.begin + random.below(tensor.size)]);
        return;
      }
      case 3: {  // a weight that is not 0
        for (int attempt = 0; attempt < 50; ++attempt)
          if (double& x = data_[random.below(data_.size())]; x != 0) return change_number(random, x);
        return;
      }
      case 4: {  // two weights, or two symbols' embeddings, change places
        const Tensor tensor = random.chance(0.3) ? tensor_of(header_.begin()) : any_tensor(random);
        if (tensor.size == 0) return;
        const std::size_t row = std::max<std::size_t>(tensor.columns, 1), rows = tensor.size / row;
        const std::size_t a = random.below(rows) * row, b = random.below(rows) * row;
        std::swap_ranges(data_.begin() + tensor.begin + a, data_.begin() + tensor.begin + a + row,
                         data_.begin() + tensor.begin + b);
        return;
      }
      case 5: {  // two tensors of a size change places
        const Tensor a = any_tensor(random), b = any_tensor(random);
        if (a.size == b.size && a.begin != b.begin)
          std::swap_ranges(data_.begin() + a.begin, data_.begin() + a.begin + a.size, data_.begin() + b.begin);
        return;
      }
      case 6:
        document_["source"] = sources[random.below(sources.size())];
        return;
      case 7:
        return mutate_output(random);
      case 8:
        return mutate_positions(random);
      case 9:
        return mutate_head(random);
      case 10:  // anything in the certificate, or in the document
        return change_anywhere(
            random, random.chance(0.5) && !document_["certificate"].is_null() ? document_["certificate"] : document_);
      default:
        return mutate_symbols(random);
    }
  }

  struct Tensor {
    std::size_t begin = 0, size = 0, columns = 0;
  };

  Tensor tensor_of(Json::iterator entry) const {
    const std::size_t begin = entry->at("data_offsets")[0].get<std::size_t>() / sizeof(double);
    const std::size_t end = entry->at("data_offsets")[1].get<std::size_t>() / sizeof(double);
    return {begin, end - begin, entry->at("shape").size() == 2 ? entry->at("shape")[1].get<std::size_t>() : 0};
  }
  Tensor any_tensor(Random& random) {
    auto entry = header_.begin();
    std::advance(entry, static_cast<std::ptrdiff_t>(random.below(header_.size())));
    return tensor_of(entry);
  }

  void mutate_output(Random& random) {
    Json& output = document_["output"];
    const char* kinds[] = {"boolean", "integer", "string", "scores", "whole", "ratios"};
    if (random.chance(0.5)) output["kind"] = kinds[random.below(std::size(kinds))];
    if (random.chance(0.5)) output["coordinate"] = random.below(document_["width"].get<std::uint64_t>());
    if (output["kind"] == "string" || output["kind"] == "scores" || output["kind"] == "ratios")
      output["cases"] = {{{"coordinate", output["coordinate"]}, {"symbols", {"a"}}}};
  }

  void mutate_positions(Random& random) {
    Json& positions = document_["position_encodings"];
    const char* formulas[] = {"i",        "i^2",       "n",      "i*n",  "i^2*n",      "i/n",      "(i/n)^2",
                              "1/i",      "1/(n-i+1)", "(-1)^i", "i/N",  "1/n",        "log(i)",   "d0",
                              "i*(-1)^i", "d1",        "256*d2", "d0/N", "log(n-i+1)", "256*d1/N", "65536*d2/N"};
    if (positions.empty() || random.chance(0.1)) {
      positions.push_back({{"coordinate", random.below(document_["width"].get<std::uint64_t>())},
                           {"formula", formulas[random.below(std::size(formulas))]}});
      return;
    }
    Json& encoding = positions[random.below(positions.size())];
    if (encoding.contains("predicate") && random.chance(0.8)) return mutate_predicate(random, encoding["predicate"]);
    if (random.chance(0.2))
      encoding["coordinate"] = random.below(document_["width"].get<std::uint64_t>());
    else
      encoding = {{"coordinate", encoding["coordinate"]}, {"formula", formulas[random.below(std::size(formulas))]}};
  }

  static void mutate_predicate(Random& random, Json& predicate) {
    const char* kinds[] = {"odd",  "even",       "prime",     "square", "cube",
                           "pow2", "triangular", "fibonacci", "first",  "last"};
    if (random.chance(0.5)) {
      predicate = {{"kind", kinds[random.below(std::size(kinds))]}, {"name", predicate.value("name", "")}};
    } else {  // x / 0
      predicate = {{"kind", "expression"},
                   {"name", predicate.value("name", "")},
                   {"nodes",
                    {{{"op", "x"}},
                     {{"op", "constant"}, {"value", random.below(2)}},
                     {{"op", random.chance(0.5) ? "divide" : "modulo"}, {"args", {0, 1}}}}}};
    }
  }

  void mutate_head(Random& random) {
    Json& layers = document_["layers"];
    if (layers.empty()) return;
    Json& heads = layers[random.below(layers.size())]["heads"];
    if (heads.empty()) return;
    Json& head = heads[random.below(heads.size())];
    const char* masks[] = {"none", "future", "past", "strict_future", "strict_past"};
    const char* temperatures[] = {"1", "1/n", "1/i", "1/i^2", "1/N", "1/ln(n+1)", "1/(n ln(n+1))"};
    const char* weightings[] = {"soft", "lhardmax", "rhardmax", "ahardmax"};
    switch (random.below(6)) {
      case 0:
        head["mask"] = masks[random.below(std::size(masks))];
        return;
      case 1:
        head["temperature"] = temperatures[random.below(std::size(temperatures))];
        return;
      case 2:
        head[random.chance(0.5) ? "weighting" : "intended"] = weightings[random.below(std::size(weightings))];
        return;
      case 3:
        head["claim"]["gamma"] = random.chance(0.5) ? 1e300 : static_cast<double>(random.below(40));
        return;
      case 4:
        head["name"] = spellings()[random.below(spellings().size())];
        return;
      default:
        change_value(random, head["claim"][random.chance(0.5) ? "structure" : "lemma"]);
    }
  }

  void mutate_symbols(Random& random) {
    Json& symbols = document_["symbols"];
    if (symbols.empty()) return;
    Json& a = symbols[random.below(symbols.size())];
    Json& b = symbols[random.below(symbols.size())];
    if (random.chance(0.7)) return std::swap(a, b);
    a = random.chance(0.5) ? "z" : "\x1b[2J";
  }

  Json header_, document_;
  std::vector<double> data_;
};

}  // namespace quench::test
