"""Rules: formulas of temporal logic with counting, B-RASP and S-RASP programs, regular expressions and automata."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Union, cast

from quench import _quench
from quench._quench import Comparison, Decision, Diagnostic
from quench.answers import Answer
from quench.arguments import explained, of_class, sequence_of_text
from quench.errors import UserError
from quench.names import AnswerKind, Format, Kind, Path

__all__ = ["Rule", "RuleLike", "decide", "diff", "eval", "explain", "parse", "read_rule", "recipes", "translate"]


class Rule:
    """A rule that has been understood. It never changes; threads may share it.

    >>> import quench
    >>> rule = quench.parse("H (Q_r -> O Q_g)")
    >>> rule.symbols
    ['r', 'g']
    >>> rule("ggr").accept, rule("rg").accept
    (True, False)
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: _quench.Rule):
        self._inner = of_class(inner, _quench.Rule, "a Rule is made by quench.parse or quench.read_rule")

    @property
    def text(self) -> str:
        """As Quench writes it; parsed again it is the same rule."""
        return self._inner.text()

    @property
    def symbols(self) -> list[str]:
        """The symbols it mentions. Words may have others, of which no test is true."""
        return self._inner.symbols()

    @property
    def is_program(self) -> bool:
        return self._inner.is_program()

    @property
    def is_automaton(self) -> bool:
        """Or a regular expression."""
        return self._inner.is_automaton()

    @property
    def answers(self) -> AnswerKind:
        """What it has at every position."""
        return cast(AnswerKind, self._inner.answers())

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the rule hardly means to say: parts that are constant, looks to the right of the last position."""
        return self._inner.warnings()

    @explained
    def __call__(self, word: str | Sequence[str]) -> Answer:
        """Its own meaning at every position of a word, without a network."""
        if isinstance(word, str):
            return Answer(*_quench.evaluate(self._inner, word))
        return Answer(*_quench.evaluate_symbols(self._inner, sequence_of_text(word, "a word is text, or a list of symbols")))

    def __repr__(self) -> str:
        return f"Rule({self.text.strip()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        kind = "program" if self.is_program else "auto" if self.is_automaton else "formula"
        return (parse, (self.text, kind))


RuleLike = Union[Rule, str]
"""A rule, or its text."""


@explained
def parse(text: str, kind: Kind = "auto", name: str = "") -> Rule:
    """Text to a rule. With `kind="auto"` it is a formula or a program, by what it looks like, or what the ending of `name`
    says (.tl; .brasp, .srasp; .regex, .dfa, .att, .hoa). Raises RuleError with all that is wrong with the text.

    >>> import quench
    >>> quench.parse("b*(ab*ab*)*", kind="regex")("abba").accept
    True
    """
    return Rule(_quench.parse(text, kind, name))


@explained
def read_rule(path: Path) -> Rule:
    """From a file, by its ending. Raises IoError, and RuleError as parse does."""
    return Rule(_quench.read_rule(os.fspath(path)))


def as_rule(rule: RuleLike) -> Rule:
    if isinstance(rule, str):
        return parse(rule)
    return of_class(rule, Rule, "a rule is a quench.Rule or its text (quench.read_rule reads a file)")


def eval(rule: RuleLike, word: str | Sequence[str]) -> Answer:
    """The rule's own meaning at every position of a word, without a network. A word is written without blanks if every
    symbol of the rule is a single character, and with blanks between its symbols otherwise; or it is a list of symbols.

    >>> import quench
    >>> quench.eval("odd(#<[Q_1])", "0110100").accept
    True
    """
    return as_rule(rule)(word)


@explained
def translate(rule: RuleLike, to: str) -> str:
    """The text of the rule as "formula" or "brasp"; of regular rules also as "dfa", "att", "hoa" or "dot".

    >>> import quench
    >>> print(quench.translate(quench.parse("a*b", kind="regex"), "formula").splitlines()[-1])  # doctest: +ELLIPSIS
    Q_b & ...
    """
    return _quench.translate(as_rule(rule)._inner, to)


@explained
def diff(first: RuleLike, second: RuleLike, length: int | None = None, everywhere: bool = False) -> Comparison:
    """The smallest word on which two rules differ, or a proof that there is none, where both are regular.

    >>> import quench
    >>> quench.diff("O Q_a", "!H !Q_a").proved
    True
    >>> quench.diff("O Q_a", "H Q_a").difference.word
    'a_'
    """
    return _quench.diff(as_rule(first)._inner, as_rule(second)._inner, length, everywhere)


@explained
def decide(rule: RuleLike, format: Format = "f32", networks: bool = True) -> Decision:
    """Which transformers there are for a regular language: its class, and one row per architecture.

    >>> import quench
    >>> quench.decide(quench.parse("(aa)*", kind="regex"), networks=False).aperiodic
    False
    """
    return _quench.decide(as_rule(rule)._inner, format, networks)


def recipes() -> list[str]:
    """The ways to turn operators into heads."""
    return _quench.recipes()


@explained
def explain(code: str) -> str:
    """What the code of a diagnostic means, with an example.

    >>> import quench
    >>> quench.explain("E011").splitlines()[0]  # doctest: +ELLIPSIS
    '...'
    """
    found = _quench.explain(code)
    if not found:
        raise UserError(f"there is no diagnostic {code!r}; they are called like E011")
    return found
