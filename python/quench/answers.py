"""What a rule or a model says of a word."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from quench.errors import UserError
from quench.names import AnswerKind

__all__ = ["Answer"]


class Answer:
    """A value at every position of a word.

    >>> import quench
    >>> answer = quench.eval("Q_a S Q_b", "cbaac")
    >>> answer.values
    array([False,  True,  True,  True, False])
    >>> answer.accept
    False
    """

    __slots__ = ("kind", "scored_symbols", "values")

    kind: AnswerKind
    values: Any
    """By kind: an array of truth values; of integers; a list with the symbols that each position puts out ("" is one that no rule
    mentions); an array positions x scores."""
    scored_symbols: list[str]
    """Of scores: which symbol each column is of."""

    def __init__(self, kind: str, values: Any, scored_symbols: list[str]):
        self.kind = cast(AnswerKind, kind)
        self.values = values
        self.scored_symbols = scored_symbols

    @property
    def accept(self) -> bool:
        """The truth at the last position."""
        if self.kind != "truth":
            raise UserError("only an answer of truth values accepts a word or rejects it")
        return bool(self.values[-1])

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answer) or self.kind != other.kind or self.scored_symbols != other.scored_symbols:
            return False
        return bool(np.array_equal(self.values, other.values)) if self.kind != "symbols" else bool(self.values == other.values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.kind == "truth":
            shown = "".join("01"[int(value)] for value in self.values[:60]) + ("..." if len(self) > 60 else "")
            return f"Answer({shown}, accept={self.accept})"
        if self.kind == "symbols":
            return f"Answer({self.values[:20]}{'...' if len(self) > 20 else ''})"
        return f"Answer({self.values!r})"
