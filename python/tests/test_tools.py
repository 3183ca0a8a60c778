"""Exports through the package in the tools they are for: a model that generates, TransformerLens, InterpBench."""

import pickle

import numpy as np
import pytest

import quench
from conftest import EXAMPLES
from quench import interpbench

torch = pytest.importorskip("torch")
torch.set_num_threads(1)


def test_an_induction_head_generates(tmp_path):
    transformers = pytest.importorskip("transformers")
    m = quench.compile(quench.read_rule(EXAMPLES / "programs" / "induction_head.brasp"), decoder=True, length=1024)
    m.to_hf(tmp_path / "model", n_ctx=64)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "model").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    ids = tokenizer("abcab", return_tensors="pt").input_ids
    found = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=7, do_sample=False)
    assert tokenizer.decode(found[0]).replace(" ", "") == "abcab" + "cabcabc"
    text = "abc"  # and what is generated is what the rule says, one symbol after the other
    for word in ("abca", "aabbcc", "cabbac"):
        logits = model(tokenizer(word, return_tensors="pt").input_ids).logits[0].argmax(-1).tolist()
        expected = [symbols[0] for symbols in m(word).values]
        assert [text[number] if number < 3 else "?" for number in logits] == expected


def test_transformer_lens_says_the_same(flip_flop):
    pytest.importorskip("transformer_lens")
    m = quench.compile(flip_flop.source, decoder=True)
    model = m.to_transformer_lens(n_ctx=32)
    ids = np.array([[m.symbols.index(symbol) for symbol in "w1i0r1w0r0"]])
    with torch.no_grad():
        assert model(torch.tensor(ids)).argmax(-1)[0].tolist() == m(ids[0]).values.astype(int).tolist()


def test_interpbench_folders(tmp_path):
    m = quench.compile("Q_a S Q_b", decoder=True)
    interpbench.write(m, tmp_path / "case", n_ctx=16)
    config = pickle.loads((tmp_path / "case" / "ll_model_cfg.pkl").read_bytes())
    weights = torch.load(tmp_path / "case" / "ll_model.pth")
    assert weights["blocks.0.attn.W_Q"].shape == (config["n_heads"], config["d_model"], config["d_head"])
    edges = pickle.loads((tmp_path / "case" / "edges.pkl").read_bytes())
    assert ("hook_embed", "blocks.0.attn.hook_result[0]") in edges
    with pytest.raises(quench.UserError):
        interpbench.write(quench.compile("F Q_a"), tmp_path / "other")
