#include "circuits/readme.h"

#include <fmt/format.h>

namespace quench::circuits {
namespace {

constexpr const char* kAbout = R"(# Circuits that are known

Networks compiled from rules by Quench, each with its true circuit, and pairs of words to look for it with. Nothing was trained.

| file | |
|---|---|
| `MODEL/config.json`, `MODEL/model.safetensors` | a decoder in TransformerLens' format; without the object `quench`, which has symbols, labels and the rule, `config.json` is a configuration |
| `MODEL/circuit.json` | the true circuit by coordinates and hidden units, in the rule's words (`circuit.schema.json`) |
| `MODEL/edges.json` | the same by heads and feed-forwards: every candidate edge, whether it is true, and what the pairs show of it |
| `MODEL/pairs.jsonl` | a pair per line: words as text and as tokens, and their labels (numbers of logits at the last position) |
| `MODEL/rule.*` | the rule that was compiled |
| `index.json` | the table below as data |
| `score.py` | scores of edges, held against the truth (numpy) |
| `methods.py` | five methods that give such scores (torch) |

    python methods.py . eap-ig-inputs -o scores.json
    python score.py . scores.json

Who writes is `embed`, `pos_embed`, `aL.hH` (head H of layer L) or `mL` (the feed-forward of layer L); who reads is `aL.hH<q>`,
`aL.hH<k>`, `aL.hH<v>`, `mL` or `logits`; an edge is `a0.h1->m0`. Heads that only fill up a layer (all of their weights are 0) are no candidates.

In `edges.json`, `true` says that the rule needs the edge: its reader reads something from its writer that is not the same at every position
of every word. `constant` marks edges that carry constants alone; they are not true. `differs` counts the pairs in which the edge carries
something else in the corrupted run than in the clean one; `changes` those whose answer changes if this edge alone carries it.
An edge with `differs` 0 is in the network and in the rule, but no method that puts one word's activations into the other's run can see it here.

)";

}  // namespace

std::string readme(const CircuitSet& set) {
  std::string text = kAbout;
  text +=
      "| model | kind | layers | heads | width | candidates | true | differing | changing | pairs | why |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const ModelSummary& model : set.models)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", model.name, model.kind,
                        model.layers, model.heads, model.width, model.candidates, model.real, model.differing,
                        model.changing, model.pairs, model.why);
  return text;
}

}  // namespace quench::circuits
