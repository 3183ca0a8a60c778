"""Hard attention made soft (docs/soften.md)."""

from __future__ import annotations

import json
from typing import Any, Literal

from quench import _quench
from quench.arguments import explained, of_class
from quench.errors import UserError
from quench.models import Model, inner_of

__all__ = ["Softened", "soften"]


class Softened:
    """A hard-attention model made soft, and how."""

    def __init__(self, inner: _quench.Softened):
        inner = of_class(inner, _quench.Softened, "a Softened is what quench.soften returns")
        self.model = Model(inner.model)
        """With its certificate."""
        self.length = inner.length
        """Up to which it is right, in exact arithmetic."""
        self.gap = inner.gap
        """By which way the gap was established: proof, interval or exhaustive."""
        self.report = inner.report
        """The derivation, as a table."""
        self.derivation: dict[str, Any] = json.loads(inner.report_json)

    def __repr__(self) -> str:
        return f"Softened(length={self.length}, gap={self.gap!r})"


@explained
def soften(
    model: Model,
    gap: Literal["", "proof", "interval", "exhaustive"] = "",
    length: int | None = None,
    constants: Literal["ours", "paper"] = "ours",
) -> Softened:
    """Hard attention replaced by softmax, at a temperature that the model's own gap asks for (docs/soften.md). Raises UserError,
    naming the head, where there is no such temperature.

    >>> import quench
    >>> quench.soften(quench.compile("prev Q_a", recipe="tight"), length=16).length
    16
    """
    if constants not in ("ours", "paper"):
        raise UserError("constants are ours or those of the paper")
    return Softened(_quench.soften(inner_of(model), gap, length, constants == "paper"))
