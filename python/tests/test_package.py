"""The package says what the command line says; what its functions compute is tested in tests/."""

import doctest
import importlib
import itertools
import os
import pickle
import pkgutil
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import quench
from conftest import EXAMPLES

NEED_MORE = {"quench.quench_torch", "quench.modeling_quench", "quench.torch_attention"}


@pytest.mark.parametrize("name", sorted({module.name for module in pkgutil.iter_modules(quench.__path__, "quench.")} - NEED_MORE))
def test_examples_in_docstrings(name):
    if not name.endswith("._quench"):
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.testmod(importlib.import_module(name), optionflags=options).failed == 0


def test_examples_of_the_package():
    assert doctest.testmod(quench).failed == 0


def test_flip_flop(flip_flop):
    assert flip_flop.summary.layers == 3
    assert flip_flop.summary.width == 18
    answer = flip_flop("w1i0r1")
    assert answer.kind == "truth"
    assert answer.values.dtype == bool
    assert "".join(str(int(value)) for value in answer.values) == "010101"
    assert answer.accept
    assert not flip_flop("w1i0r0").accept
    assert flip_flop.certificate.length("f32") == 4194304


def test_words_as_text_symbols_and_numbers_are_the_same(flip_flop):
    rule = quench.parse(flip_flop.source)
    for word in map("".join, itertools.product("wr01x", repeat=4)):
        numbers = np.array([flip_flop.symbols.index(s) if s in flip_flop.symbols else -1 for s in word])
        assert flip_flop(word) == flip_flop(list(word)) == flip_flop(numbers) == rule(word)


def test_numbers_of_any_integer_type(flip_flop):
    expected = flip_flop("w1r1")
    numbers = [flip_flop.symbols.index(symbol) for symbol in "w1r1"]
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64):
        assert flip_flop(np.array(numbers, dtype=dtype)) == expected
    assert flip_flop(np.repeat(np.array(numbers, dtype=np.int32), 2)[::2]) == expected  # with gaps


@pytest.mark.parametrize("numbers", [[7], [-2], [2**40], [[1, 2]], [0.5], []])
def test_numbers_that_are_none(flip_flop, numbers):
    with pytest.raises(quench.UserError):
        flip_flop(np.array(numbers))


def test_answers_of_programs():
    for path in sorted((EXAMPLES / "programs").iterdir()):
        rule = quench.read_rule(path)
        model = quench.compile(rule)
        word = ("" if all(len(symbol) == 1 for symbol in rule.symbols) else " ").join((rule.symbols or ["a"])[:3] * 2)
        assert model(word, uncertified=True) == rule(word), path.name
        assert model.answers == rule.answers


def test_rule_errors_have_places():
    with pytest.raises(quench.RuleError) as caught:
        quench.parse("let p = Q_a\np & (q | Q_b")
    first, second = caught.value.diagnostics
    assert (first.code, first.line, first.column) == ("E011", 2, 5)
    assert second.help == ["the symbol is written `Q_q` or `'q'`"]
    assert "^" in str(caught.value)
    assert "E011" in repr(first)
    with pytest.raises(quench.RuleError, match="Theorem 16"):
        quench.compile("Q_a & next Q_b", recipe="16a")
    assert "not closed" in quench.explain("E011") or quench.explain("E011")


def test_guilt(tmp_path, flip_flop):
    with pytest.raises(quench.IoError):
        quench.load(tmp_path / "nothing.safetensors")
    with pytest.raises(quench.IoError):
        quench.load_bytes(b"nothing")
    with pytest.raises(quench.IoError):
        quench.read_rule(tmp_path)
    with pytest.raises(quench.IoError):
        flip_flop.to_onnx(tmp_path / "no folder" / "model.onnx")
    with pytest.raises(quench.UserError, match="there are f64, f32"):
        flip_flop("w1", format="f31")
    with pytest.raises(quench.UserError, match="empty word"):
        flip_flop("")
    with pytest.raises(quench.UserError, match="1/N"):
        flip_flop.export("hf")
    with pytest.raises(quench.UserError, match="there are hf"):
        flip_flop.export("pdf")
    with pytest.raises(quench.LengthRefused) as refused:
        flip_flop("w1" * 100, format="bf16")
    assert (refused.value.length, refused.value.longest) == (200, 64)
    assert issubclass(quench.RuleError, ValueError) and issubclass(quench.IoError, OSError)


def test_files(tmp_path, flip_flop):
    flip_flop.save(tmp_path / "m.safetensors")
    again = quench.load(tmp_path / "m.safetensors")
    assert again.fingerprint == flip_flop.fingerprint
    assert quench.load_bytes((tmp_path / "m.safetensors").read_bytes()).fingerprint == flip_flop.fingerprint
    assert again("w1r1") == flip_flop("w1r1")
    assert quench.check(again).computes_rule
    assert quench.verify(again, exhaustive=3).differences == 0
    assert pickle.loads(pickle.dumps(flip_flop)).fingerprint == flip_flop.fingerprint
    assert pickle.loads(pickle.dumps(quench.parse("Q_a S Q_b"))).text == quench.parse("Q_a S Q_b").text


def test_tensors_are_those_of_the_file(flip_flop):
    tensors = flip_flop.tensors()
    assert sum(tensor.size for tensor in tensors.values()) == flip_flop.summary.parameters
    assert sum(np.count_nonzero(tensor) for tensor in tensors.values()) == flip_flop.summary.nonzero_parameters
    assert tensors["embedding"].shape == (len(flip_flop.symbols) + 1, flip_flop.summary.width)
    assert {coordinate.index for coordinate in flip_flop.coordinates} <= set(range(18))


def test_exports_as_bytes(tmp_path, flip_flop):
    circuit = flip_flop.circuit()
    assert {edge["from"] for edge in circuit["edges"]} <= {node["id"] for node in circuit["nodes"]}
    assert flip_flop.export("circuit-dot")["circuit.dot"].startswith(b"digraph")
    flip_flop.to_onnx(tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").stat().st_size > 1000
    decoder = quench.compile(flip_flop.source, decoder=True)
    decoder.to_hf(tmp_path / "hf", n_ctx=64)
    assert {path.name for path in (tmp_path / "hf").iterdir()} == set(decoder.export("hf", context=64))
    assert set(flip_flop.export("torch")) == {"model.safetensors", "quench_torch.py"}
    assert b'"opt"' in decoder.export("hf", context=64, architecture="opt")["config.json"]
    assert b"[BOS]" in decoder.export("hf", context=64, bos=True)["tokenizer.json"]


def test_unshared_models_are_the_same_with_fewer_edges(flip_flop):
    unshared = quench.compile(flip_flop.source, unshared=True)
    assert len({c.index for c in unshared.coordinates}) == len(unshared.coordinates) == unshared.summary.width
    edges = [sum(not edge["constant"] for edge in model.circuit()["edges"]) for model in (flip_flop, unshared)]
    assert edges[1] <= edges[0]
    assert unshared.certificate.length("f32") == flip_flop.certificate.length("f32")
    assert quench.check(unshared).computes_rule
    for word in map("".join, itertools.product("wr01", repeat=5)):
        assert unshared(word) == flip_flop(word)


def test_streams():
    model = quench.compile("odd(#<[Q_1])", decoder=True, recipe="exact")
    stream = model.stream()
    assert [stream.push(symbol) for symbol in "0110100"] == model("0110100").values.tolist()
    assert len(stream) == 7
    with pytest.raises(quench.UserError):
        quench.compile("F Q_a").stream()


def test_certificates(flip_flop):
    certificate = quench.certify(flip_flop, ["f32", "f16"])
    assert certificate.length("f64") is None
    assert quench.Certificate.from_json(certificate.to_json()).entries[0].length == certificate.entries[0].length
    verdict = quench.check(flip_flop, certificate)
    assert verdict.behaves and verdict.computes_rule and verdict.entries == len(certificate.entries)
    with pytest.raises(quench.IoError):
        quench.Certificate.from_json("{}")


def test_a_wrong_model_is_found():
    report = quench.verify(quench.compile("Q_b S Q_a"), "Q_a S Q_b", exhaustive=4)
    assert report.differences > 0
    assert (report.counterexample.word, report.counterexample.expected, report.counterexample.got) == ("a", "0", "1")


class Enough(Exception):
    pass


def test_progress_that_raises_ends_the_work(flip_flop):
    def progress(done, total):
        raise Enough

    begin = time.monotonic()
    with pytest.raises(Enough):
        quench.verify(flip_flop, exhaustive=10, progress=progress)
    with pytest.raises(Enough):
        quench.train("O Q_a", steps=10_000_000, progress=progress)
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize(
    "work",
    [
        lambda flip_flop: quench.verify(flip_flop, exhaustive=11),
        lambda flip_flop: quench.train("O Q_a", steps=10_000_000),
        lambda flip_flop: quench.accuracy("O Q_a", quench.compile("O Q_a"), 100, 1_000_000_000),
        lambda flip_flop: quench.soften(quench.compile("Q_b S Q_a"), gap="exhaustive", length=11),
    ],
    ids=["verify", "train", "accuracy", "soften"],
)
def test_ctrl_c_ends_the_work(flip_flop, work):
    """Long before it is done. Shells start what is to run in the background with the signal ignored, hence the handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            work(flip_flop)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_go_on_meanwhile(flip_flop):
    """A long call holds no lock: another thread counts while it runs."""
    word, counted, stop = np.zeros(2_000_000, dtype=np.int32), [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    runner = flip_flop.runner()
    thread = threading.Thread(target=count)
    thread.start()
    before, begin = counted[0], time.monotonic()
    runner(word)
    seconds, after = time.monotonic() - begin, counted[0]
    stop.set()
    thread.join()
    assert after - before > 50 * seconds


def test_training_is_what_it_is_and_repeats():
    first = quench.train("O Q_a", steps=60, length=10)
    second = quench.train("O Q_a", steps=60, length=10)
    assert first.loss == second.loss
    assert first.model.fingerprint == second.model.fingerprint
    assert 0 <= first.held_out.of_words <= 1
    with pytest.raises(quench.UserError):
        quench.train("O Q_a", layers=0)


def test_decisions():
    decision = quench.decide(quench.parse("b*(ab*ab*)*", kind="regex"))
    assert (decision.language_class, decision.monoid, len(decision.architectures)) == ("solvable", 2, 5)
    assert "Architecture(" in repr(decision.architectures[0])


def test_softening():
    softened = quench.soften(quench.compile("prev Q_a"), length=32)
    assert softened.length == 32 and softened.model("aba").values.tolist() == [False, True, False]
    with pytest.raises(quench.UserError):
        quench.soften(quench.compile("prev Q_a"), gap="magic")


def test_attention_maps_and_pictures(flip_flop):
    seen = flip_flop.attention("w1i0r1", layer=1, head=0)
    assert np.asarray(seen).shape == (6, 6)
    assert np.allclose(seen.weights.sum(1), 1)
    assert seen._repr_svg_().startswith("<svg") and seen._repr_svg_().count("<rect") == 36
    assert "4,194,304" in flip_flop._repr_html_()
    assert "<table>" in flip_flop.certificate._repr_html_()
    with pytest.raises(quench.UserError):
        flip_flop.attention("w1", layer=9)


def test_traces(flip_flop):
    trace = flip_flop.trace("w1i0r1")
    assert trace.answer == flip_flop("w1i0r1") and trace.symbols == list("w1i0r1")
    assert len(trace.heads) == 5 and trace["Q_w"].tolist() == [1, 0, 0, 0, 0, 0]
    assert np.array_equal(trace.heads[3].weights, flip_flop.attention("w1i0r1", 1, 2).weights)
    assert "<table>" in trace._repr_html_()
    assert not flip_flop.trace("w1i0r1", ablate=[(1, 2)]).answer.accept
    patched = flip_flop.trace("w1i0r1", patch=[("stored_1, attended", 6, 0.0)])
    assert not patched.answer.accept
    for wrong in (dict(ablate=[(9, 0)]), dict(patch=[("nothing", 1, 0.0)]), dict(patch=[("stored_1, attended", 99, 0.0)])):
        with pytest.raises(quench.UserError):
            flip_flop.trace("w1i0r1", **wrong)
    with pytest.raises(KeyError):
        trace["nothing"]
    with pytest.raises(quench.UserError):
        flip_flop.warmed(-1)


def test_the_million(flip_flop):
    """A million tokens as numbers; the answer at the end is that of a machine that remembers a bit."""
    word = np.array([flip_flop.symbols.index(s) for s in "w1" + "i0" * 499_998 + "r1"], dtype=np.int32)
    answer = flip_flop(word)
    assert len(answer) == 1_000_000 and answer.accept
    word[-1] = flip_flop.symbols.index("0")
    assert not flip_flop(word).accept
