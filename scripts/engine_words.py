"""The rules that scripts/measure_engines.py measures by, each with what is right and with words that are decided by a hair."""
import numpy as np

A, B, ONE = (ord(letter) for letter in "ab1")


def since(word):
    i = np.arange(len(word))
    last = lambda marks: np.maximum.accumulate(np.where(marks, i, -1))
    return (last(word == B) >= 0) & (last(word != A) == last(word == B))


def pairs(n, shuffle):
    """The last b or c is found among neighbours; what follows is a."""
    for first in sorted({1, n // 2, n - 3, n - 2, n - 1} if n < 10000 else {n - 2}):
        yield from ("a" * (first - 1) + pair + "a" * (n - first - 1) for pair in ("bc", "cb"))
    if n < 10000:
        yield "".join(shuffle.choices("abc", (8, 1, 1), k=n))


def balances(n, shuffle):
    """As many a's as b's, or one more or less, early or late; of long words the most telling."""
    yield from (text * (n // 2) + text[:n % 2] for text in ("ab", "ba"))
    for first in (n // 2 - 1, n // 2, n // 2 + 1):
        if n <= 1024 or first == n // 2:
            yield from (one * first + other * (n - first) for one, other in ("ab", "ba"))
    if n > 1024:
        return
    for most in (n // 4, n // 4 + 1):
        yield "a" * (n // 4) + "c" * (n - n // 4 - most) + "b" * most
    yield "c" * (n - 2) + "ba"
    letters = list("ab" * (n // 2) + "a" * (n % 2))
    shuffle.shuffle(letters)
    yield "".join(letters)


def ones(n, shuffle):
    yield from ("1" * n, "0" * (n // 2) + "1" * (n - n // 2), "01" * (n // 2) + "1" * (n % 2))
    if n <= 1024:
        yield "0" * (n - 1) + "1"
        yield from ("".join(shuffle.choices("01", (1, weight), k=n)) for weight in (1, 9))


RULES = [
    ("Q_a S Q_b", "", since, pairs),
    ("Q_a S Q_b", "--digits", since, pairs),
    ("#<[Q_a] >= #<[Q_b]", "", lambda word: np.cumsum(word == A) >= np.cumsum(word == B), balances),
    ("#<[Q_a] >= #>[Q_b]", "", lambda word: np.cumsum(word == A) >= np.cumsum((word == B)[::-1])[::-1], balances),
    ("odd(#<[Q_1])", "", lambda word: np.cumsum(word == ONE) % 2 == 1, ones),
]
