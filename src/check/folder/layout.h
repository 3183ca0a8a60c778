// Where coordinates, tokens and labels of a model are in a stock checkpoint, and which numbers have to be there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/number/matrix.h"
#include "model/folder_certificate.h"
#include "model/transformer.h"

namespace quench::check {

struct Layout {
  Layout(const model::Transformer& model, const model::FolderCertificate& certificate, std::size_t heads,
         std::size_t hidden);

  std::size_t width, heads, d_head, hidden, layers, context, vocabulary;
  std::size_t one;              ///< the coordinate that is constantly 1
  std::size_t ground, balance;  ///< after the data
  std::size_t first_pin;
  double constant, gain;
  std::vector<std::string> labels;

  Matrix tokens, positions;
  struct Block {
    Matrix q, k, v;  ///< (heads · d_head) × width
    Matrix o;        ///< width × (heads · d_head)
    Matrix w1, w2;   ///< hidden × width, width × hidden
    std::vector<double> b1, b2;
  };
  std::vector<Block> blocks;
  Matrix answers;  ///< labels × width
  Matrix next;     ///< vocabulary × width; no rows where answers are not single symbols

 private:
  void lay_out_tables(const model::Transformer& model);
  void lay_out_block(const model::Layer& layer, Block& block) const;
  void lay_out_answers(const model::Transformer& model);
  void lay_out_next(const model::Transformer& model);
};

}  // namespace quench::check
