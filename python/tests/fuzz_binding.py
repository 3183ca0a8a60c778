"""Calls everything that the package offers with random objects: fuzz_binding.py [--calls N] [--seed S].

A call may return, or raise what is documented, with a text. Anything else ends the program: another exception, an empty text, a crash, a
call that does not return within three minutes (faulthandler then shows where it is), more memory than the limit. Calls that rightly take long are
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

from odd_objects import Lie, Objects

import quench
from quench import _quench, attention

MEMORY = 6 * 2**30
HANGS = 180
"""Seconds."""
LONG = 0.25
"""Seconds, after which a call is told to stop."""

ALLOWED = (quench.Error, TypeError, ValueError, OverflowError, OSError, MemoryError, KeyError, IndexError, RecursionError)
"""And what the objects raise themselves."""


class Enough(Exception):
    """The signal's."""


def functions():
    """By name, everything that can be called without an object."""
    found = [(f"quench.{name}", getattr(quench, name)) for name in quench.__all__ if inspect.isfunction(getattr(quench, name))]
    found += [(f"attention.{name}", getattr(attention, name)) for name in attention.__all__]
    return [*found, ("quench.Certificate.from_json", quench.Certificate.from_json)]


def inner_functions():
    """Of the module beneath, which nobody is meant to call, and classes, which functions are meant to make."""
    classes = [(f"quench.{name}", getattr(quench, name)) for name in quench.__all__ if inspect.isclass(getattr(quench, name))]
    names = [name for name in dir(_quench) if not name.startswith("_") and callable(getattr(_quench, name))]
    return [*classes, *((f"_quench.{name}", getattr(_quench, name)) for name in names)]


OTHERS = {"to_torch", "to_transformer_lens"}
"""Import tools of others, which do not like to be interrupted by a signal."""
SPECIAL = {"__call__", "__getitem__", "__len__", "__eq__", "__repr__", "__hash__", "__array__", "__reduce__"}


def method_of(thing, choose):
    """A method of an object, or a function that reads a property."""
    name = choose.choice([name for name in dir(type(thing)) if name not in OTHERS and (not name.startswith("__") or name in SPECIAL)])
    if callable(inspect.getattr_static(thing, name)):
        return f"{type(thing).__name__}.{name}", getattr(thing, name)
    return f"{type(thing).__name__}.{name}", lambda: getattr(thing, name)


def arguments(function, objects, choose):
    """By position and by name: mostly what the function asks for, and some of what it does not."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [objects.any() for _ in range(choose.choice((0, 1, 2, 3, 4)))], {}
    if choose.random() < 0.05:
        return [objects.any() for _ in range(choose.randint(0, 4))], {}
    given, named = [], {}
    for one in parameters:
        required = one.default is one.empty
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or choose.random() < (0.02 if required else 0.75):
            continue
        if one.kind is one.POSITIONAL_ONLY or (required and one.kind is not one.KEYWORD_ONLY):
            given.append(objects.likely(one.name))
        else:
            named[one.name] = objects.likely(one.name)
    return given, named


def short(value):
    try:
        return repr(value)[:200]
    except BaseException as error:  # noqa: BLE001
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def fuzz(calls, seed):
    choose = random.Random(seed)
    objects = Objects(choose)
    free, beneath = functions(), inner_functions()
    counts = {"returned": 0, "raised": 0, "stopped": 0}
    kinds = {}

    def too_long(*_):
        raise Enough

    signal.signal(signal.SIGALRM, too_long)
    for number in range(calls):
        turn = choose.random()
        if turn < 0.5:
            name, function = choose.choice(free)
        elif turn < 0.6:
            name, function = choose.choice(beneath)
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
        except BaseException:
            print(f"call {number} of seed {seed}: {name} with {short(args)} {short(kwargs)}", file=sys.stderr)
            raise
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
