"""From a rule to a transformer."""

from __future__ import annotations

from typing import Literal

from quench import _quench
from quench.arguments import explained
from quench.errors import UserError
from quench.models import Model
from quench.names import Format
from quench.rules import RuleLike, as_rule

__all__ = ["compile", "compile_for_length"]


@explained
def compile(
    rule: RuleLike,
    decoder: bool = False,
    recipe: str = "auto",
    sharpen: Literal["", "temperature", "position"] = "",
    gamma: float | None = None,
    digits: bool = False,
    certify: bool = True,
    length: int | None = None,
    unshared: bool = False,
) -> Model:
    """From a rule to a transformer. `decoder`: heads that look to the left only; `digits`: exact in half formats; `length`: the
    longest word that the recipe "exact" serves; `unshared`: a coordinate of its own for every value, so that the circuit has fewer edges. Raises RuleError if no recipe covers the rule, or the one asked for does not.

    >>> import quench
    >>> quench.compile("Q_a S Q_b").summary.layers
    1
    """
    return Model(_quench.compile(as_rule(rule)._inner, recipe, decoder, sharpen, gamma, digits, certify, length, unshared))


@explained
def compile_for_length(
    rule: RuleLike, length: int, format: Format = "f32", decoder: bool = False, recipe: str = "auto", digits: bool = False
) -> Model | None:
    """The smallest model, of a few, that is certified up to a length in a format; None if there is no way.

    >>> import quench
    >>> quench.compile_for_length("odd(#<[Q_1])", 100_000).certificate.length("f32") >= 100_000
    True
    """
    if length == 0:
        raise UserError("a length is at least 1")
    found = _quench.compile_for_length(as_rule(rule)._inner, length, format, recipe, decoder, "", digits)
    return None if found is None else Model(found)
