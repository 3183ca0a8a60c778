"""Words through a model: all at once, or one symbol after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from quench import _quench
from quench.answers import Answer
from quench.arguments import explained, of_class, sequence_of_text
from quench.errors import UserError

__all__ = ["Runner", "Stream", "Word"]

Word = Union[str, Sequence[str], "npt.NDArray[np.integer[Any]]"]
"""A word as text; symbol by symbol; or the numbers of its symbols, as an array of integers."""

WORD = "a word is text, a list of symbols, or a numpy array of the numbers of its symbols"


class Runner:
    """A model prepared for many words, in a number format and an engine. Several threads may use it at once.

    >>> import numpy, quench
    >>> runner = quench.compile("odd(#<[Q_1])").runner(format="f64")
    >>> runner("0110").values
    array([False,  True, False, False])
    >>> runner(numpy.array([0, 1, 1, 0], dtype=numpy.int32)).accept      # 0 is the symbol '1', 1 is any other
    False
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: _quench.Runner):
        self._inner = of_class(inner, _quench.Runner, "a Runner is made by the runner() of a model")

    @explained
    def __call__(self, word: Word) -> Answer:
        """The answer at every position. Raises LengthRefused beyond `longest`. An array of int32 is read where it is."""
        if isinstance(word, str):
            return Answer(*self._inner.run(word))
        if isinstance(word, np.ndarray):
            return Answer(*self._inner.run_numbers(as_numbers(word)))
        return Answer(*self._inner.run_symbols(sequence_of_text(word, WORD)))

    @explained
    def all(self, words: Sequence[str]) -> list[Answer]:
        """Of many words; the engine "bits" takes them side by side."""
        return [Answer(*one) for one in self._inner.run_all(sequence_of_text(words, "words are a list of texts"))]

    @property
    def longest(self) -> int:
        """The greatest length that is not refused; 2**53 stands for no limit."""
        return self._inner.longest()

    @property
    def certified(self) -> bool:
        """Whether `longest` is a certificate's."""
        return self._inner.certified()

    @property
    def warnings(self) -> list[str]:
        return self._inner.warnings()


def as_numbers(word: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    if word.ndim != 1 or not np.issubdtype(word.dtype, np.integer):
        raise UserError("the numbers of a word are an array of integers with one dimension")
    if word.dtype != np.int32 and word.size > 2**32:
        raise UserError("so many numbers are not converted; hand in an array of int32")
    if word.dtype != np.int32 and word.size and (word.min() < -1 or word.max() >= 2**31):
        raise UserError("the numbers of symbols are small")
    return np.ascontiguousarray(word, dtype=np.int32)


class Stream:
    """One symbol after the other, each answered at once, for models compiled as decoders.

    >>> import quench
    >>> stream = quench.compile("H (Q_r -> O Q_g)", decoder=True).stream()
    >>> [stream.push(symbol) for symbol in "xgr"]
    [True, True, True]
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: _quench.Stream):
        self._inner = of_class(inner, _quench.Stream, "a Stream is made by the stream() of a model")

    @explained
    def push(self, symbol: str) -> bool:
        """The truth at the next position."""
        return self._inner.push(symbol)

    def reset(self) -> None:
        """Back to the empty word."""
        self._inner.reset()

    def __len__(self) -> int:
        return self._inner.length()

    @property
    def longest(self) -> int:
        return self._inner.longest()
