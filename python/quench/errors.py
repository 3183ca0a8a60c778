"""What Quench raises, by guilt. All of it is an Error.

>>> import quench
>>> try:
...     quench.parse("Q_a & (Q_b")
... except quench.RuleError as error:
...     print(error.diagnostics[0].code, error.diagnostics[0].column)
E011 7
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quench._quench import Diagnostic

__all__ = ["Error", "IoError", "LengthRefused", "RuleError", "UserError"]


class Error(Exception):
    """Everything that Quench raises on purpose."""


class UserError(Error, ValueError):
    """What was handed in cannot be used: a word, an option, a model that does not fit the request."""


class IoError(Error, OSError):
    """A file cannot be read, written or understood."""


class RuleError(UserError):
    """The text of a rule cannot be used, or not by the recipe that was asked for. str() shows the lines, with carets."""

    def __init__(self, message: str, diagnostics: list[Diagnostic]):
        super().__init__(message)
        self.diagnostics = diagnostics
        """What is wrong, in the order of the text; never empty."""


class LengthRefused(Error):
    """A word is longer than the model's certificate answers for."""

    def __init__(self, message: str, length: int, longest: int):
        super().__init__(message)
        self.length = length
        """Of the word."""
        self.longest = longest
        """That is answered for."""
