// GPT-2 as its paper and its checkpoints define it, in float32, from the tensors of a file and three numbers of its
// configuration: written for the tests without looking at src/export.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "export/hf/layer_norm_by_hand.h"
#include "export/hf/loaded_checkpoint.h"

namespace quench::test {

class Gpt2ByHand {
 public:
  Gpt2ByHand(std::map<std::string, LoadedTensor> tensors, std::size_t layers, std::size_t heads,
             MomentOrder order = MomentOrder::forward)
      : tensors_(std::move(tensors)), layers_(layers), heads_(heads), order_(order) {}

  using Rows = std::vector<std::vector<float>>;

  /// The logits of every position.
  Rows logits(const std::vector<std::size_t>& ids) const {
    Rows x;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      x.emplace_back();
      for (std::size_t c = 0; c < width(); ++c)
        x[i].push_back(of("transformer.wte.weight").at(ids[i], c) + of("transformer.wpe.weight").at(i, c));
    }
    for (std::size_t l = 0; l < layers_; ++l) {
      const std::string block = "transformer.h." + std::to_string(l) + ".";
      add(x, attention(block + "attn.", normalised(block + "ln_1", x)));
      Rows hidden = linear(block + "mlp.c_fc", normalised(block + "ln_2", x));
      for (std::vector<float>& row : hidden)
        for (float& value : row) value = std::max(value, 0.0f);
      add(x, linear(block + "mlp.c_proj", hidden));
    }
    return classified(normalised("transformer.ln_f", x));
  }

 private:
  const LoadedTensor& of(const std::string& name) const { return tensors_.at(name); }
  std::size_t width() const { return of("transformer.wte.weight").shape[1]; }

  static void add(Rows& x, const Rows& update) {
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < x[i].size(); ++c) x[i][c] += update[i][c];
  }

  Rows normalised(const std::string& name, const Rows& x) const {
    Rows result;
    for (const std::vector<float>& row : x) {
      const Moments moments = moments_of(row, order_);
      std::vector<float>& out = result.emplace_back();
      for (std::size_t c = 0; c < row.size(); ++c)
        out.push_back((row[c] - moments.mean) * moments.reciprocal * of(name + ".weight").data[c] +
                      of(name + ".bias").data[c]);
    }
    return result;
  }

  /// GPT-2's layers have their weights as input × output.
  Rows linear(const std::string& name, const Rows& x) const {
    const LoadedTensor& weight = of(name + ".weight");
    Rows result;
    for (const std::vector<float>& row : x) {
      std::vector<float> out = of(name + ".bias").data;
      for (std::size_t in = 0; in < row.size(); ++in)
        for (std::size_t column = 0; column < out.size(); ++column) out[column] += row[in] * weight.at(in, column);
      result.push_back(std::move(out));
    }
    return result;
  }

  Rows attention(const std::string& name, const Rows& x) const {
    const Rows qkv = linear(name + "c_attn", x);
    const std::size_t d = width(), d_head = d / heads_;
    Rows mixed(x.size(), std::vector<float>(d));
    for (std::size_t head = 0; head < heads_; ++head)
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::vector<float> e;
        float greatest = -HUGE_VALF, total = 0;
        for (std::size_t j = 0; j <= i; ++j) {
          float score = 0;
          for (std::size_t c = head * d_head; c < (head + 1) * d_head; ++c) score += qkv[i][c] * qkv[j][d + c];
          e.push_back(score / std::sqrt(static_cast<float>(d_head)));
          greatest = std::max(greatest, e.back());
        }
        for (float& score : e) total += score = std::exp(score - greatest);
        for (std::size_t j = 0; j <= i; ++j)
          for (std::size_t c = head * d_head; c < (head + 1) * d_head; ++c)
            mixed[i][c] += e[j] / total * qkv[j][2 * d + c];
      }
    return linear(name + "c_proj", mixed);
  }

  Rows classified(const Rows& x) const {
    const LoadedTensor& weight = of("classifier.weight");
    Rows result;
    for (const std::vector<float>& row : x) {
      std::vector<float>& out = result.emplace_back(of("classifier.bias").data);
      for (std::size_t label = 0; label < out.size(); ++label)
        for (std::size_t c = 0; c < row.size(); ++c) out[label] += row[c] * weight.at(label, c);
    }
    return result;
  }

  std::map<std::string, LoadedTensor> tensors_;
  std::size_t layers_, heads_;
  MomentOrder order_;
};

}  // namespace quench::test
