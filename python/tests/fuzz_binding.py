"""Calls everything that the package offers with random objects: fuzz_binding.py [--calls N] [--seed S].

A call may return, or raise what is documented, with a text. Anything else ends the program: another exception, an empty text, a crash, a
call that does not return within a minute (faulthandler then shows where it is), more memory than the limit. Calls that rightly take long are
ended by a signal, as Ctrl-C would.

The limit of memory holds for the whole process, so that a call that asks for too much gets MemoryError and not the machine.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import inspect
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback

import numpy as np

import quench
from quench import _quench, attention

MEMORY = 6 * 2**30
HANGS = 60
"""Seconds."""
LONG = 0.25
"""Seconds, after which a call is told to stop."""

ALLOWED = (quench.Error, TypeError, ValueError, OverflowError, OSError, MemoryError, KeyError, IndexError, RecursionError)
"""And what the objects raise themselves."""


class Enough(Exception):
    """The signal's."""


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
        return huge(np.zeros(1, dtype=choose.choice((np.int32, np.float32, np.float64))), choose)
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
    shape = choose.choice(((2**40,), (2**33, 3), (3, 2**33), (2**20, 2**20), (2**28,), (2**14, 2**14)))
    return np.broadcast_to(base.reshape(()), shape)


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


class Objects:
    """At random, those that fit among them."""

    def __init__(self, choose):
        self.choose = choose
        self.models = [quench.compile("Q_a S Q_b", decoder=True), quench.compile("prev Q_a"), quench.compile("odd(#<[Q_1])", recipe="exact", length=64)]
        self.rules = [quench.parse("O Q_a"), quench.parse("a*b", kind="regex"), quench.parse("#<[Q_a] > #<[Q_b]")]
        self.certificate = self.models[0].certificate
        self.content = self.models[0].export("torch")["model.safetensors"]
        self.file = quench.models._quench.save_bytes(self.models[0]._inner)
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


def public(module):
    return [(f"{module.__name__}.{name}", getattr(module, name)) for name in dir(module) if not name.startswith("_") and callable(getattr(module, name))]


def functions():
    """By name, everything that can be called without an object."""
    found = [(f"quench.{name}", getattr(quench, name)) for name in quench.__all__ if callable(getattr(quench, name))]
    found += [(f"attention.{name}", getattr(attention, name)) for name in attention.__all__]
    return found + public(_quench) + [("quench.Certificate.from_json", quench.Certificate.from_json)]


NOT_CALLED = {"__class__", "__init__", "__init_subclass__", "__subclasshook__", "__new__", "__reduce_ex__", "__getattribute__", "__setattr__", "__delattr__", "__dir__", "__sizeof__", "__getstate__"}


def method_of(thing, choose):
    """A method of an object, or a function that reads a property."""
    name = choose.choice([name for name in dir(type(thing)) if name not in NOT_CALLED])
    if callable(inspect.getattr_static(thing, name)):
        return f"{type(thing).__name__}.{name}", getattr(thing, name)
    return f"{type(thing).__name__}.{name}", lambda: getattr(thing, name)


def arguments(function, objects, choose):
    """Positions and names, mostly as many as there are."""
    try:
        parameters = [one.name for one in inspect.signature(function).parameters.values() if one.name not in ("args", "kwargs", "self")]
    except (TypeError, ValueError):
        parameters = []
    count = choose.choice((0, 1, 1, 2, 2, 3, 4, len(parameters)))
    named = [name for name in parameters[count:] if choose.random() < 0.25]
    given = [objects.likely(name) for name in parameters[:count]] if parameters else [objects.any() for _ in range(count)]
    return given, {name: objects.likely(name) for name in named}


def likely(self, name):
    """What a parameter of this name is for, more often than not; so that calls get past their first argument."""
    if self.choose.random() < 0.35:
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
    return texts(self.choose) if self.choose.random() < 0.6 else numbers(self.choose)


Objects.likely = likely


def short(value):
    try:
        return repr(value)[:200]
    except BaseException as error:  # noqa: BLE001
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def fuzz(calls, seed):
    choose = random.Random(seed)
    objects = Objects(choose)
    free = functions()
    counts = {"returned": 0, "raised": 0, "stopped": 0}
    kinds = {}

    def too_long(*_):
        raise Enough

    signal.signal(signal.SIGALRM, too_long)
    for number in range(calls):
        if choose.random() < 0.6:
            name, function = choose.choice(free)
        else:
            name, function = method_of(choose.choice(objects.models + objects.rules + objects.own), choose)
        args, kwargs = arguments(function, objects, choose)
        begin = time.monotonic()
        faulthandler.dump_traceback_later(HANGS, exit=True)
        try:
            signal.setitimer(signal.ITIMER_REAL, LONG)
            try:
                function(*args, **kwargs)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            outcome = "returned"
        except Enough:
            outcome = "stopped"
        except Lie:
            outcome = "raised"
        except ALLOWED as error:
            outcome = "raised"
            kinds[type(error).__name__] = kinds.get(type(error).__name__, 0) + 1
            if not str(error).strip() and not isinstance(error, (MemoryError, StopIteration)):
                raise AssertionError(f"call {number} of seed {seed}: {name} raised {type(error).__name__} without a text") from error
        except BaseException as error:
            print(f"call {number} of seed {seed}: {name} with {short(args)} {short(kwargs)}", file=sys.stderr)
            raise error
        counts[outcome] += 1
        if time.monotonic() - begin > 2:
            print(f"call {number} of seed {seed}: {name} took {time.monotonic() - begin:.1f} s, {outcome}: {short(args)} {short(kwargs)}", file=sys.stderr)
        if number % 500 == 0:
            gc.collect()
    faulthandler.cancel_dump_traceback_later()
    return {**counts, "exceptions": kinds, "peak_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(json.dumps(fuzz(given.calls, given.seed)))


if __name__ == "__main__":
    try:
        main()
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        os._exit(1)
