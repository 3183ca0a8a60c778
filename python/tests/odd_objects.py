"""Objects of all kinds, those that fit among them, for fuzz_binding.py: texts, numbers and arrays at the corners of what they can be, damaged model
files, and objects that lie about what they are."""

import numpy as np

import quench
from quench import _quench



class Lie(Exception):
    """Raised by objects that lie."""


class Liar:
    """Has a length and items, and whatever else Python asks for, and none of it fits together."""

    def __init__(self, choose):
        self.choose = choose

    def answer(self, *options):
        if self.choose.random() < 0.3:
            raise Lie("no")
        return self.choose.choice(options)

    def __len__(self):
        return self.answer(0, 3, 2**40)

    def __iter__(self):
        return iter(self.answer([], ["a", 1], "ab", [None] * 9))

    def __getitem__(self, key):
        return self.answer("a", 1, None)

    def __index__(self):
        return self.answer(0, 1, -1, 2**70)

    def __float__(self):
        return self.answer(0.0, 1.5, float("nan"))

    def __bool__(self):
        return self.answer(True, False)

    def __str__(self):
        return self.answer("a", "\ud800")

    def __fspath__(self):
        return self.answer("nothing", b"nothing", 3, "a\0b")

    def __array__(self, dtype=None, copy=None):
        return self.answer(np.zeros((2, 2)), np.zeros(0, dtype=np.int32), None)

    def __call__(self, *args, **kwargs):
        return self.answer(None, 3)

    def __eq__(self, other):
        return self.answer(True, False)

    __hash__ = None


class Word(str):
    """A kind of text."""


class Numbers(np.ndarray):
    """A kind of array."""


def arrays(choose):
    kind = choose.randrange(12)
    shape = tuple(choose.choice((0, 1, 2, 3, 7)) for _ in range(choose.choice((0, 1, 1, 2, 2, 2, 3))))
    if kind == 0:
        return huge(np.zeros(1, dtype=choose.choice((np.int32, np.int64, np.float32, np.float64))), choose)
    dtype = choose.choice(("i4", ">i4", "i8", "u8", "u1", "f4", ">f8", "f8", "f2", "c16", "O", "S3", "U2", "?", "M8[s]", "V4", "i4,f8"))
    try:
        found = np.zeros(shape, dtype=dtype)
        if found.dtype.kind in "iu" and found.size:
            found[...] = choose.choice((0, 1, 2, 5, 100))
        if found.dtype.kind == "f" and found.size:
            found[...] = choose.choice((0, 1, -1, np.nan, np.inf, 0.5))
    except (TypeError, ValueError):
        return np.zeros(shape)
    if kind == 1:
        found.flags.writeable = False
    if kind == 2 and found.ndim:
        found = found[::-1]
    if kind == 3 and found.ndim:
        found = found[::2]
    if kind == 4:
        found = found.T
    if kind == 5:
        found = found.view(Numbers)
    if kind == 6 and found.ndim:
        found = np.asfortranarray(found)
    if kind == 7 and found.dtype.itemsize > 1 and found.size:  # not aligned
        raw = np.zeros(found.nbytes + 1, dtype=np.uint8)[1:]
        found = raw.view(found.dtype).reshape(found.shape) if found.dtype.kind != "O" else found
    if kind == 8:
        return np.ma.masked_array(found)
    return found


def huge(base, choose):
    """One number, that says it is there a great many times."""
    shape = choose.choice(((2**40,), (2**33, 3), (3, 2**33), (2**20, 2**20), (2**24,), (2**11, 2**11)))
    return np.broadcast_to(base.reshape(()), shape)


def print_nothing(done, total):
    return None


def generator():
    yield "a"
    yield 1


def texts(choose):
    return choose.choice((
        "", "a", "w1i0r1", "Q_a S Q_b", "Q_a S", "F Q_a", "odd(#<[Q_1])", "a\0b", "\ud800", "\U0001f600" * 3, "a" * 5000, "((" * 2000, "hf", "onnx", "f32", "f64",
        "bf16", "m8", "softmax", "entmax", "leftmost", "none", "future", "tight", "exact", "auto", "structured", "reference", "proof", "exhaustive", "paper",
        "regex", "formula", "dfa", "dot", "E011", "{}", "{\"version\": 1}", "i/n", "Q_w", "/dev/null", "nothing", Word("Q_a"), "\n", " ", "!" * 3000 + "Q_a", "%s", "{0}",
    ))  # fmt: skip


def numbers(choose):
    return choose.choice((0, 1, 2, 3, 5, 16, 64, 100, 1000, -1, -(2**31), 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70, 10**400, True, False,
                          np.int8(3), np.uint64(2**63), np.float32(1.5), 0.0, -0.0, 0.5, 1.5, 1e-300, 1e300, float("nan"), float("inf"), 1j))  # fmt: skip


NAMES = {
    "format": ("f64", "f32", "bf16", "f16-pure", "m8", "f31"), "formats": (["f32"], ["f16", "m8"], [], "f32", ["x"]), "engine": ("auto", "reference", "dense", "structured", "bits"),
    "mask": ("none", "future", "past", "strict_future", "strict_past", "x"), "kind": ("auto", "formula", "program", "regex"), "to": ("formula", "brasp", "dfa", "att", "hoa", "dot"),
    "weighting": ("softmax", "leftmost", "average", "sparsemax", "entmax", "stick_breaking", "geometric", "gap_adaptive", "gumbel_softmax", "straight_through"),
    "recipe": ("auto", "tight", "exact", "paper", "13a", "x"), "sharpen": ("", "temperature", "position"), "summation": ("any", "normalise-last"), "gap": ("", "proof", "interval"),
    "target": ("hf", "hf-custom", "transformer-lens", "torch", "onnx", "circuit", "circuit-dot", "x"), "dtype": ("f32", "f64", "f16"), "constants": ("ours", "paper"), "progress": (None, print_nothing),
    "certificate": (None,), "positions": (["i/n"], ["1/i", "(-1)^i"], []), "tau": ((1.0, 0.5), (1, 1)), "gamma": (None, 3.0, 16.0, 1e9),
}  # fmt: skip
FLAGS = {"decoder", "digits", "certify", "unshared", "hard", "uncertified", "scaled", "everywhere", "networks", "custom", "attention", "unmentioned", "last_only", "even_if_large"}


class Objects:
    """At random, those that fit among them."""

    def __init__(self, choose):
        self.choose = choose
        self.models = [quench.compile("Q_a S Q_b", decoder=True), quench.compile("prev Q_a"), quench.compile("Q_a & next Q_b")]
        self.rules = [quench.parse("O Q_a"), quench.parse("a*b", kind="regex"), quench.parse("#<[Q_a] > #<[Q_b]")]
        self.certificate = self.models[0].certificate
        self.file = _quench.save_bytes(self.models[0]._inner)
        model = self.models[0]
        self.own = [model._inner, self.rules[0]._inner, model.runner()._inner, model.stream()._inner, model.runner(), model.stream(), model.trace("aba"), model.attention("ab"), model("ab"), self.certificate, model.summary, model.coordinates[0],
                    quench.verify(model, exhaustive=2), quench.decide(self.rules[1], networks=False), quench.diff("O Q_a", "H Q_a")]  # fmt: skip

    def damaged(self):
        """A model file with a few bytes changed, or cut."""
        content = bytearray(self.file)
        for _ in range(self.choose.randint(0, 4)):
            content[self.choose.randrange(len(content))] = self.choose.randrange(256)
        return bytes(content[: self.choose.choice((len(content), self.choose.randrange(len(content))))])

    def any(self, depth=0):
        choose = self.choose
        kind = choose.randrange(16 if depth < 3 else 11)
        if kind < 3:
            return texts(choose)
        if kind < 6:
            return numbers(choose)
        if kind == 6:
            return choose.choice((None, object(), int, len, lambda *given: None, generator(), iter(()), range(3), slice(1), Ellipsis, quench, b"", b"\xff\x00", bytearray(3), memoryview(b"abc"), {1, "a"}))
        if kind == 7:
            return choose.choice(self.models)
        if kind == 8:
            return choose.choice(self.rules + self.own)
        if kind == 9:
            return self.damaged()
        if kind == 10:
            return Liar(choose)
        if kind < 13:
            return arrays(choose)
        if kind == 13:
            return {texts(choose): self.any(depth + 1) for _ in range(choose.randint(0, 3))}
        return choose.choice((list, tuple))(self.any(depth + 1) for _ in range(choose.choice((0, 1, 2, 3, 9))))

    def likely(self, name):
        """What a parameter of this name is for, more often than not; so that calls get past their first argument."""
        if self.choose.random() < 0.15:
            return self.any()
        if name in ("rule", "first", "second", "text"):
            return self.choose.choice([*self.rules, texts(self.choose)])
        if name == "model":
            return self.choose.choice(self.models)
        if name in ("queries", "keys", "values", "d_result", "numbers"):
            return arrays(self.choose)
        if name in ("content", "json"):
            return self.damaged()
        if name in ("path", "folder"):
            return self.choose.choice(("nothing/at/all", "written", "/dev/null", "/", ""))
        if name in ("layer", "head", "length", "exhaustive", "context", "n_ctx", "steps", "words", "seed", "threads", "count", "width", "layers", "heads", "batch", "hidden", "random_count", "random_length"):
            return self.choose.choice((0, 1, 2, 3, 8)) if self.choose.random() < 0.7 else numbers(self.choose)
        if name in NAMES:
            return self.choose.choice(NAMES[name])
        if name in ("word", "symbol"):
            return self.choose.choice(("a", "ab", "w1", "", list("ab"), np.array([0, 1, 2]), "ab" * 300))
        if name == "words":
            return [texts(self.choose), "ab"]
        if name in ("ablate", "ablated"):
            return self.choose.choice(([(0, 0)], [], [(0, 5)], [(-1, 0)]))
        if name in ("patch", "patches"):
            return self.choose.choice(([("Q_a", 1, 0.5)], [("Q_a", 0, 0.5)], [("x", 1, float("nan"))], []))
        if name in FLAGS:
            return self.choose.choice((True, False))
        return texts(self.choose) if self.choose.random() < 0.3 else numbers(self.choose)
