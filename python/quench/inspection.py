"""What a network holds and looks at on a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from quench import display
from quench.answers import Answer

__all__ = ["AttentionMap", "Coordinate", "Trace", "Traced"]


class Coordinate:
    """What a coordinate of the residual stream holds, from after sublayer `first` to after sublayer `last`; 0 is the
    embedding, then attention and feed-forward of every layer in turn. Coordinates are reused."""

    __slots__ = ("boolean", "first", "high", "index", "last", "low", "name")

    def __init__(self, tenant: dict[str, Any]):
        self.index: int = tenant["coordinate"]
        self.name: str = tenant["name"]
        self.first: int = tenant["from"]
        self.last: int = tenant["to"]
        self.boolean: bool = tenant["boolean"]
        self.low: float | None = tenant["low"]
        self.high: float | None = tenant["high"]

    def __repr__(self) -> str:
        return f"Coordinate({self.index}: {self.name!r} in sublayers {self.first} to {self.last})"


class AttentionMap:
    """The weights of one head on a word: `weights[i, j]` is what position i gives to position j."""

    __slots__ = ("head", "layer", "name", "symbols", "weights")

    def __init__(self, layer: int, head: int, name: str, symbols: list[str], weights: npt.NDArray[np.float64]):
        self.layer = layer
        self.head = head
        self.name = name
        self.symbols = symbols
        self.weights = weights

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.asarray(self.weights, dtype=dtype)

    def __repr__(self) -> str:
        return f"AttentionMap(layer={self.layer}, head={self.head}, name={self.name!r}, {len(self.symbols)} positions)"

    def _repr_svg_(self) -> str:
        return display.attention_svg(self.symbols, self.weights, f"{self.layer}.{self.head} {self.name}")


class Traced:
    """What a coordinate holds on a word, after a sublayer at which it is born or changes."""

    __slots__ = ("coordinate", "sublayer", "values")

    def __init__(self, coordinate: Coordinate, sublayer: int, values: npt.NDArray[np.float64]):
        self.coordinate = coordinate
        self.sublayer = sublayer
        self.values = values

    def __repr__(self) -> str:
        return f"Traced({self.coordinate.name!r} after sublayer {self.sublayer})"


class Trace:
    """Everything that a network holds and attends to on a word.

    >>> import quench
    >>> trace = quench.compile("Q_a S Q_b").trace("cbaa")
    >>> trace["Q_a"]
    array([0., 0., 1., 1.])
    >>> trace.heads[0].weights[3].argmax()          # the last position looks at the b
    np.int64(1)
    """

    __slots__ = ("answer", "heads", "symbols", "values")

    def __init__(self, symbols: list[str], answer: Answer, heads: list[AttentionMap], values: list[Traced]):
        self.symbols = symbols
        self.answer = answer
        self.heads = heads
        """The weights of every head, in order."""
        self.values = values
        """By sublayer."""

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        """What the coordinate of this name holds at its birth."""
        for one in self.values:
            if one.coordinate.name == name:
                return one.values
        names = ", ".join(dict.fromkeys(one.coordinate.name for one in self.values))
        raise KeyError(f"no coordinate is called {name!r}; there are {names}")

    def __repr__(self) -> str:
        return f"Trace({len(self.symbols)} positions, {len(self.values)} values, {len(self.heads)} heads)"

    def _repr_html_(self) -> str:
        rows = [
            [one.sublayer, one.coordinate.index, one.coordinate.name, *(f"{value:.4g}" for value in one.values)]
            for one in self.values
        ]
        return display.table(["sublayer", "coordinate", "holds", *self.symbols], rows)
