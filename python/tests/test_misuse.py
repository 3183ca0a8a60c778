"""What people do wrong: the right exception, with a text that says what would be right."""

from pathlib import Path

import numpy as np
import pytest

import quench
from conftest import EXAMPLES
from quench import attention

FLIP_FLOP = quench.compile(quench.read_rule(EXAMPLES / "formulas" / "flip_flop.tl"))
DECODER = quench.compile("Q_a S Q_b", decoder=True)
HARD = quench.compile("prev Q_a")
SORT = quench.read_rule(EXAMPLES / "programs" / "sort.srasp")
SQUARE = np.ones((2, 2))
NAN = float("nan")


def attended(*, queries=SQUARE, keys=SQUARE, values=SQUARE, **options):
    return attention.attend(queries, keys, values, **options)


# What is called, what it raises, and words of the text.
MISUSES = [
    # rules
    (lambda: quench.parse(None), TypeError, "text must be text; this is of the type NoneType"),
    (lambda: quench.parse("Q_a S"), quench.RuleError, "nothing follows `S`"),
    (lambda: quench.parse(""), quench.RuleError, "write a formula"),
    (lambda: quench.parse("Q_\ud800"), quench.UserError, "lone surrogate"),
    (lambda: quench.parse("Q_\0"), quench.RuleError, "E005"),
    (lambda: quench.parse("Q_a", kind="sql"), quench.UserError, "a formula, a program or a regex"),
    (lambda: quench.read_rule("nothing.tl"), quench.IoError, "nothing.tl: cannot read it"),
    (lambda: quench.read_rule(3), TypeError, "os.PathLike"),
    (lambda: quench.read_rule("a\0b"), quench.UserError, "no zero character"),
    (lambda: quench.Rule("Q_a"), TypeError, "quench.parse"),
    (lambda: quench.eval("Q_a", 3), TypeError, "text, or a list of symbols; this is of the type int"),
    (lambda: quench.eval("Q_a", [1]), TypeError, "number 0 is of the type int"),
    (lambda: quench.eval("Q_a", b"a"), TypeError, "this is of the type bytes"),
    (lambda: quench.eval("Q_a", ""), quench.UserError, "empty word"),
    (lambda: quench.eval(SORT, "12").accept, quench.UserError, "truth values"),
    (lambda: quench.translate("Q_a", "latex"), quench.UserError, "formula, brasp, dfa"),
    (lambda: quench.translate("#<[Q_a] > #<[Q_b]", "dfa"), quench.UserError, "not in the regular fragment"),
    (lambda: quench.diff("Q_a", 3), TypeError, "a quench.Rule or its text"),
    (lambda: quench.diff("Q_a", "Q_b", length=-1), quench.UserError, "length cannot be -1"),
    (lambda: quench.decide("Q_a", format="f31"), quench.UserError, "there are f64, f32"),
    (lambda: quench.explain("E999"), quench.UserError, "like E011"),
    # compiling
    (lambda: quench.compile(Path("rule.tl")), TypeError, "quench.read_rule reads a file"),
    (lambda: quench.compile(b"Q_a"), TypeError, "this is of the type bytes"),
    (lambda: quench.compile("Q_a", recipe="tihgt"), quench.RuleError, "did you mean tight"),
    (lambda: quench.compile("Q_a", decoder="yes"), TypeError, "decoder must be True or False"),
    (lambda: quench.compile("Q_a", gamma="3"), TypeError, "gamma must be a number"),
    (lambda: quench.compile("Q_a S Q_b", gamma=NAN), quench.RuleError, "gamma is not a number"),
    (lambda: quench.compile("Q_a", length=1.5), TypeError, "length must be a whole number"),
    (lambda: quench.compile("Q_a", length=-5), quench.UserError, "length cannot be -5"),
    (lambda: quench.compile("Q_a", length=2**70), quench.UserError, "length cannot be that large"),
    (lambda: quench.compile("F Q_a", decoder=True), quench.RuleError, "sees no position to its right"),
    (lambda: quench.compile_for_length("Q_a", 0), quench.UserError, "at least 1"),
    (lambda: quench.Model("Q_a"), TypeError, "quench.compile"),
    # words
    (lambda: FLIP_FLOP(3), TypeError, "a word is text, a list of symbols, or a numpy array"),
    (lambda: FLIP_FLOP([1, 2]), TypeError, "number 0 is of the type int"),
    (lambda: FLIP_FLOP({"w": 1}), TypeError, "this is of the type dict"),
    (lambda: FLIP_FLOP({"w"}), TypeError, "this is of the type set"),
    (lambda: FLIP_FLOP("\ud800"), quench.UserError, "lone surrogate"),
    (lambda: FLIP_FLOP(["w", "\ud800"]), quench.UserError, "number 1 has half a character"),
    (lambda: FLIP_FLOP(""), quench.UserError, "empty word"),
    (lambda: FLIP_FLOP(np.array([0.5])), quench.UserError, "an array of integers"),
    (lambda: FLIP_FLOP(np.array([[1]])), quench.UserError, "one dimension"),
    (lambda: FLIP_FLOP(np.array([99])), quench.UserError, "they are 0 to 4, and 5 is any other symbol"),
    (lambda: FLIP_FLOP("w1", format="f31"), quench.UserError, "there are f64, f32"),
    (lambda: FLIP_FLOP("w1", format=None), TypeError, "format must be text"),
    (lambda: FLIP_FLOP("w1", engine="gpu"), quench.UserError, "there are auto, reference"),
    (lambda: FLIP_FLOP("w1" * 99, format="bf16"), quench.LengthRefused, "64"),
    (lambda: FLIP_FLOP.runner().all("w1"), TypeError, "a list of texts; this is of the type str"),
    (lambda: FLIP_FLOP.runner().all(["w1", 3]), TypeError, "number 1 is of the type int"),
    (lambda: quench.Runner(FLIP_FLOP), TypeError, "the runner\\(\\) of a model"),
    (lambda: FLIP_FLOP.stream(), quench.UserError, "depends on the length"),
    (lambda: DECODER.stream().push(3), TypeError, "symbol must be text"),
    # looking inside
    (lambda: FLIP_FLOP.trace(["w"]), TypeError, "word must be text"),
    (lambda: FLIP_FLOP.trace("w1", ablate=[3]), TypeError, "pairs of a layer and a head"),
    (lambda: FLIP_FLOP.trace("w1", ablate=[(9, 0)]), quench.UserError, "layers are 0 to 2"),
    (lambda: FLIP_FLOP.trace("w1", patch=[("Q_w", 1)]), TypeError, "a position from 1 on and a value"),
    (lambda: FLIP_FLOP.trace("w1", patch=[("x", 1, 0.0)]), quench.UserError, "no coordinate named 'x'; it has"),
    (lambda: FLIP_FLOP.trace("w1", patch=[("Q_w", 9, 0.0)]), quench.UserError, "positions 1 to 2"),
    (lambda: FLIP_FLOP.trace("w1")["nothing"], KeyError, "no coordinate is called 'nothing'"),
    (lambda: FLIP_FLOP.attention("w1", layer=9), quench.UserError, "layers are 0 to 2"),
    (lambda: FLIP_FLOP.attention("w1", layer=-1), quench.UserError, "layer cannot be -1"),
    (lambda: FLIP_FLOP.attention("w1" * 3000), quench.UserError, "at most 4096"),
    (lambda: FLIP_FLOP.warmed(0), quench.UserError, "above 0"),
    # files and exports
    (lambda: quench.load("nothing.safetensors"), quench.IoError, "No such file"),
    (lambda: quench.load(EXAMPLES), quench.IoError, "not a regular file"),
    (lambda: quench.load_bytes("text"), TypeError, "content must be bytes"),
    (lambda: quench.load_bytes(b"abc"), quench.IoError, "too few"),
    (lambda: FLIP_FLOP.save("/dev/null/model"), quench.IoError, "cannot write"),
    (lambda: FLIP_FLOP.save(3), TypeError, "os.PathLike"),
    (lambda: FLIP_FLOP.export("pdf"), quench.UserError, "there are hf"),
    (lambda: FLIP_FLOP.export("hf"), quench.UserError, "compile with --decoder"),
    (lambda: DECODER.export("hf", context=0), quench.UserError, "a context is from 1"),
    (lambda: DECODER.export("hf", context=-1), quench.UserError, "context cannot be -1"),
    (lambda: DECODER.export("hf", dtype="f16"), quench.UserError, "f32 or f64"),
    (lambda: DECODER.export("hf", architecture="bert"), quench.UserError, "there are gpt2, opt"),
    (lambda: DECODER.to_onnx("/dev/null/model.onnx"), quench.IoError, "/dev/null/model.onnx"),
    (lambda: DECODER.to_hf("/dev/null/model"), quench.IoError, "/dev/null/model"),
    # proofs
    (lambda: quench.certify("model.safetensors"), TypeError, "quench.load reads"),
    (lambda: quench.certify(FLIP_FLOP, ["f31"]), quench.UserError, "there are f64, f32"),
    (lambda: quench.certify(FLIP_FLOP, 32), TypeError, "such as \\['f32'\\]"),
    (lambda: quench.check(FLIP_FLOP, "{}"), TypeError, "a quench.Certificate"),
    (lambda: quench.Certificate("{}"), TypeError, "Certificate.from_json"),
    (lambda: quench.Certificate.from_json("{}"), quench.IoError, "is missing"),
    (lambda: FLIP_FLOP.certificate.length("f32", "magic"), quench.UserError, "there are any, normalise-last"),
    (lambda: quench.verify("Q_a S Q_b"), TypeError, "for a quench.Model"),
    (lambda: quench.verify(DECODER, exhaustive=-1), quench.UserError, "exhaustive cannot be -1"),
    (lambda: quench.verify(DECODER, exhaustive=1000), quench.UserError, "smaller"),
    (lambda: quench.verify(DECODER, threads=-3), quench.UserError, "threads cannot be -3"),
    (lambda: quench.verify(DECODER, progress=3), TypeError, "progress is a function"),
    (lambda: quench.soften(HARD, gap="magic"), quench.UserError, "proof, interval or exhaustive"),
    (lambda: quench.soften(HARD, constants="theirs"), quench.UserError, "ours or those of the paper"),
    (lambda: quench.soften(HARD, length=0), quench.UserError, "at least 1"),
    # training
    (lambda: quench.train("O Q_a", steps=-1), quench.UserError, "steps cannot be -1"),
    (lambda: quench.train("O Q_a", steps="many"), TypeError, "steps must be a whole number"),
    (lambda: quench.train("O Q_a", rate="fast"), TypeError, "rate must be a number"),
    (lambda: quench.train("O Q_a", tau=1.0), TypeError, "as in \\(1.0, 0.5\\)"),
    (lambda: quench.train("O Q_a", positions=["foo"]), quench.UserError, "known are i, i\\^2"),
    (lambda: quench.train("O Q_a", width=10**9), quench.UserError, "from 1 to 1024"),
    (lambda: quench.train("O Q_a", progress=3), TypeError, "progress is a function"),
    (lambda: quench.accuracy("O Q_a", "model", 5), TypeError, "for a quench.Model"),
    (lambda: quench.accuracy("O Q_z", DECODER, 5), quench.UserError, "not those of the rule"),
    # attention
    (lambda: attended(keys=np.ones((2, 3))), quench.UserError, "the same width"),
    (lambda: attended(queries=np.ones(3)), quench.UserError, "arrays of two dimensions, not 1"),
    (lambda: attended(queries="abc"), quench.UserError, "not an array of numbers"),
    (lambda: attended(queries=SQUARE * 1j), quench.UserError, "complex"),
    (lambda: attended(queries=[[1, 2], [3]]), quench.UserError, "not an array of numbers"),
    (lambda: attended(temperature="hot"), TypeError, "temperature must be a number"),
    (lambda: attended(temperature=NAN), quench.UserError, "at least 0"),
    (lambda: attended(mask="left"), quench.UserError, "there are none, future"),
    (lambda: attended(seed=-1), quench.UserError, "seed cannot be -1"),
    (lambda: attended(weighting="entmax", parameter=0.5), quench.UserError, "entmax"),
]  # fmt: skip


@pytest.mark.parametrize(("misuse", "exception", "text"), MISUSES, ids=[str(number) for number in range(len(MISUSES))])
def test_misuse(misuse, exception, text):
    with pytest.raises(exception, match=text) as caught:
        misuse()
    assert type(caught.value) is exception and str(caught.value).strip()
    assert "incompatible function arguments" not in str(caught.value)


def test_a_tensor_type_that_is_none():
    pytest.importorskip("torch")
    with pytest.raises(TypeError, match="such as torch.float32"):
        FLIP_FLOP.to_torch("float32")


def test_one_name_is_as_good_as_a_list():
    assert quench.certify(FLIP_FLOP, "f32").length("f32") == quench.certify(FLIP_FLOP, ["f32"]).length("f32")
    assert quench.train("O Q_a", positions="i/n", steps=2).steps == 2
