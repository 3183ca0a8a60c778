"""Quench turns a rule into the weights of a transformer, with a proof of how far they are right.

>>> import quench
>>> m = quench.compile("H (Q_r -> O Q_g)")          # before every r there is a g
>>> m("ggr").accept, m("rg").accept
(True, False)
>>> m.certificate.length("f32")
7228324

A rule has a value at every position of a word; a word is accepted by the last one. docs/python.md has more.
"""

from quench import attention
from quench._quench import (
    Accuracy,
    Architecture,
    CertificateEntry,
    Comparison,
    Counterexample,
    Decision,
    Diagnostic,
    Difference,
    Report,
    Summary,
    Verdict,
)
from quench._quench import version as _version
from quench.answers import Answer
from quench.certificates import NO_LIMIT, Certificate
from quench.compiling import compile, compile_for_length
from quench.errors import Error, IoError, LengthRefused, RuleError, UserError
from quench.inspection import AttentionMap, Coordinate, Trace, Traced
from quench.models import Model, load, load_bytes
from quench.proofs import certify, check, verify
from quench.rules import Rule, decide, diff, eval, explain, parse, read_rule, recipes, translate
from quench.runs import Runner, Stream
from quench.softening import Softened, soften
from quench.training import Trained, accuracy, train

__version__ = _version()

__all__ = [
    "NO_LIMIT", "Accuracy", "Answer", "Architecture", "AttentionMap", "Certificate", "CertificateEntry", "Comparison",
    "Coordinate", "Counterexample", "Decision", "Diagnostic", "Difference", "Error", "IoError", "LengthRefused", "Model", "Report",
    "Rule", "RuleError", "Runner", "Softened", "Stream", "Summary", "Trace", "Traced", "Trained", "UserError", "Verdict", "accuracy", "attention",
    "certify", "check", "compile", "compile_for_length", "decide", "diff", "eval", "explain", "load", "load_bytes", "parse",
    "read_rule", "recipes", "soften", "train", "translate", "verify",
]  # fmt: skip
