"""Models in PyTorch: the module that m.to_torch() gives, in every format, under torch.compile, padded and differentiated."""

import itertools
import random

import numpy as np
import pytest

import quench
from conftest import EXAMPLES

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

# Every mask, temperature, position formula and predicate that recipes use, between them.
RULES = [
    ("Q_a S Q_b", {}), ("Q_a S Q_b", {"decoder": True}), ("Q_a S Q_b", {"recipe": "paper"}), ("F Q_a & next Q_b", {}),
    ("prev Q_a & Z Q_b", {"recipe": "paper"}), ("odd(#<[Q_a])", {}), ("#<[Q_a] >= #>[Q_b]", {}), ("prime(#<[Q_a])", {"recipe": "exact", "length": 64}),
    ("Q_a & prime", {}), ("O (Q_a & square)", {}), ("Q_a S (Q_b & fibonacci)", {"digits": True}), ("pred q(i,n) = i*i <= n\nO (Q_a & q)", {}),
    ("H (Q_a -> mod(3,1))", {}), ("Q_a U Q_b", {"recipe": "17a"}), ("Q_a S Q_b", {"sharpen": "position"}),
]  # fmt: skip


def words_for(model, count=40, longest=40):
    generator = random.Random(1)
    lengths = [generator.randint(1, longest) for _ in range(count)]
    return [[generator.randint(0, len(model.symbols)) for _ in range(length)] for length in lengths]


def batch(model, words, left=False):
    """Padded to one length, and who is there."""
    longest = max(map(len, words))
    gaps = [longest - len(word) for word in words]
    padding = len(model.symbols) + 1
    rows = [[padding] * gap + word if left else word + [padding] * gap for gap, word in zip(gaps, words)]
    there = [[0] * gap + [1] * len(word) if left else [1] * len(word) + [0] * gap for gap, word in zip(gaps, words)]
    return torch.tensor(rows), torch.tensor(there)


def compiled(text, options):
    try:
        return quench.compile(text, **options)
    except quench.RuleError as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.parametrize(("text", "options"), RULES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_answers_are_those_of_run(text, options, dtype):
    model = compiled(text, options)
    network = model.to_torch(getattr(torch, dtype))
    runner = model.runner(uncertified=True)
    words = words_for(model)
    ids, there = batch(model, words)
    for hard in (False, True):
        for word, found in zip(words, network.answers(ids, there, hard=hard)):
            expected = runner(np.array(word, dtype=np.int32)).values
            assert found[: len(word)].tolist() == expected.astype(int).tolist()


@pytest.mark.parametrize(("text", "options"), RULES[:8])
def test_padding_on_either_side_changes_nothing(text, options):
    model = compiled(text, options)
    network, words = model.to_torch(torch.float64), words_for(model, 20, 12)
    for left in (True, False):
        found = network.answers(*batch(model, words, left))
        for word, row in zip(words, found):
            own = row[-len(word):] if left else row[: len(word)]
            assert own.tolist() == network.answers(torch.tensor([word]))[0].tolist()


def test_half_formats_up_to_the_certified_length():
    for text, options in (("Q_a S Q_b", {}), ("Q_a S Q_b", {"digits": True}), ("prev Q_a", {"digits": True})):
        model = quench.compile(text, **options)
        for name, dtype in (("bf16", torch.bfloat16), ("f16", torch.float16)):
            network, longest = model.to_torch(dtype), min(model.certificate.length(name), 300)
            words = words_for(model, 20, longest)
            for word, found in zip(words, network.answers(*batch(model, words))):
                assert found[: len(word)].tolist() == model(np.array(word, dtype=np.int32)).values.astype(int).tolist()


def test_programs():
    for name in ("induction_head.brasp", "k_hop_2.brasp", "dyck_2.srasp", "length.srasp", "bigram_model.brasp", "histogram.srasp"):
        model = quench.compile(quench.read_rule(EXAMPLES / "programs" / name))
        network, runner = model.to_torch(torch.float64), model.runner(uncertified=True)
        cases = [case["symbols"] for case in model.document["output"].get("cases") or []]
        for word in words_for(model, 8, 12):
            found, answer = network.answers(torch.tensor([word]))[0], runner(np.array(word, dtype=np.int32))
            if answer.kind == "symbols":
                assert [cases[number] if number >= 0 else [""] for number in found.tolist()] == answer.values, name
            elif answer.kind == "scores":
                assert np.abs(found.numpy() / 1e6 - answer.values).max() <= 1e-6
            else:
                assert found.tolist() == answer.values.astype(int).tolist(), name


def test_the_residual_stream_is_that_of_the_document(flip_flop):
    """After the embedding, coordinates that stand for symbols are 1 where these are."""
    network = flip_flop.to_torch(torch.float64)
    _, cache = network.run_with_cache(network.encode("w1i0r1"))
    at = {c.name: c.index for c in flip_flop.coordinates if c.first == 0}
    assert cache["blocks.0.hook_resid_pre"][0, :, at["Q_w"]].tolist() == [1, 0, 0, 0, 0, 0]
    pattern = cache["blocks.1.attn.hook_pattern"][0, 2].detach().numpy()
    assert np.allclose(pattern, flip_flop.attention("w1i0r1", 1, 2).weights, atol=1e-12)


def test_hooks_replace(flip_flop):
    network = flip_flop.to_torch()
    ids = network.encode("w1i0r1")
    dead = network.run_with_hooks(ids, fwd_hooks=[("blocks.1.attn.hook_z", lambda z, hook: torch.zeros_like(z))])
    assert not torch.equal(dead, network(ids))
    assert torch.equal(network(ids), network(ids))


def test_gradients(flip_flop):
    network = flip_flop.to_torch(torch.float64)
    logits = network(network.encode("w1i0r1"))
    logits[0, -1].sum().backward()
    network.zero_grad()
    network(network.encode("w1i0r1"))[0, -1, 1].backward()
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    assert gradients and all(torch.isfinite(gradient).all() for gradient in gradients)
    strict = quench.compile("prev Q_a", recipe="paper").to_torch()  # rows that see nothing
    strict(strict.encode("aba")).sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in strict.parameters() if parameter.grad is not None)


def test_one_module_for_every_length_without_host_loops(flip_flop):
    network = flip_flop.to_torch()
    exported = torch.export.export(network, (network.encode("w1i0r1"),), dynamic_shapes=({1: torch.export.Dim("n", min=2, max=4096)},), strict=False)
    for word in ("w1", "w0i1r0", "w0i1r0" * 20):
        ids = network.encode(word)
        assert torch.equal(exported.module()(ids).argmax(-1), network(ids).argmax(-1))


def test_torch_compile_takes_it_whole(flip_flop):
    network = flip_flop.to_torch()
    fast = torch.compile(network, backend="aot_eager", fullgraph=True)
    for word in ("w1r1", "w0i1r0"):
        assert torch.equal(fast(network.encode(word)), network(network.encode(word)))


def test_attention_is_differentiable():
    from quench.torch_attention import attend

    torch.manual_seed(1)
    q, k, v = (torch.randn(5, 3, dtype=torch.float64, requires_grad=True) for _ in range(3))
    for weighting in ("softmax", "entmax", "stick_breaking"):
        assert torch.autograd.gradcheck(lambda *args: attend(*args, mask="future", weighting=weighting), (q, k, v))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert torch.allclose(attend(q, k, v, mask="future"), expected)


def test_all_words_to_length_8():
    model = quench.compile("Q_a S Q_b")
    network, rule = model.to_torch(), quench.parse("Q_a S Q_b")
    for length in range(1, 9):
        words = ["".join(word) for word in itertools.product("ab", repeat=length)]
        assert network.answers(network.encode(words)).tolist() == [rule(word).values.astype(int).tolist() for word in words]
