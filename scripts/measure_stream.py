#!/usr/bin/env python3
"""One word longer than memory: feeds a decoder tokens through a pipe and compares every answer with the definition.

usage: scripts/measure_stream.py [--tokens N] [--quench build/release/quench]

The rule is `O Q_a & prev Q_b`, by --decoder in f64; the tokens are a million random ones, again and again. Prints how long it
took, how many answers differed, and the least and the greatest resident memory of the program, sampled once a second from
the third on. docs/engines.md has what came of 10⁹ tokens, which is the default: a quarter of an hour.
"""
import argparse
import itertools
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = 10**6


def answers(block, once, before):
    """By the definition: a digit and a line end for every token, once an a was there and the token before is b."""
    lines = bytearray()
    for token in block:
        once = once or token == ord("a")
        lines += b"1\n" if once and before == ord("b") else b"0\n"
        before = token
    return bytes(lines)


def feed(pipe, block, tokens):
    for begin in range(0, tokens, BLOCK):
        pipe.write(block[:tokens - begin])
    pipe.close()


def sample(process, seen):
    while process.poll() is None:
        time.sleep(1)
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                seen.append(int(line.split()[1]))


def differences(pipe, block, tokens):
    first, others = answers(block, False, None), answers(block, True, block[-1])
    wrong = 0
    for begin, expected in zip(range(0, tokens, BLOCK), itertools.chain([first], itertools.repeat(others))):
        expected = expected[:2 * (tokens - begin)]
        got = pipe.read(len(expected))
        if len(got) != len(expected):
            sys.exit(f"the answers end within {begin + BLOCK} tokens")
        if got != expected:
            wrong += sum(one != other for one, other in zip(got, expected))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=10**9)
    parser.add_argument("--quench", default=str(ROOT / "build/release/quench"))
    options = parser.parse_args()
    start, seen = time.monotonic(), []
    process = subprocess.Popen([options.quench, "run", "-e", "O Q_a & prev Q_b", "--decoder", "--dtype", "f64", "--stream"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    choose = random.Random(1)
    block = bytes(choose.choices(b"ab", (3, 7), k=BLOCK))
    for work in (lambda: feed(process.stdin, block, options.tokens), lambda: sample(process, seen)):
        threading.Thread(target=work, daemon=True).start()
    wrong = differences(process.stdout, block, options.tokens)
    code = process.wait()
    memory = f"{min(seen[2:])} to {max(seen[2:])} KB resident" if len(seen) > 2 else "too short to sample its memory"
    print(f"{options.tokens} tokens in {time.monotonic() - start:.0f} s, {wrong} differences, {memory}")
    return 1 if wrong or code else 0


if __name__ == "__main__":
    sys.exit(main())
