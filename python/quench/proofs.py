"""Whether a model is right: certificates derived and checked, and evidence word by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quench import _quench
from quench._quench import Report, Verdict
from quench.arguments import explained, of_class, sequence_of_text
from quench.certificates import Certificate
from quench.errors import UserError
from quench.models import Model, inner_of
from quench.names import Engine, Format
from quench.rules import Rule, RuleLike, as_rule, parse

__all__ = ["certify", "check", "verify"]


@explained
def certify(model: Model, formats: Sequence[Format] = ()) -> Certificate:
    """Derives the certificate of a model from its weights; of f64, f32, bf16 and f16 unless told.

    >>> import quench
    >>> quench.certify(quench.compile("Q_a S Q_b", certify=False), ["bf16"])
    Certificate(bf16 64)
    """
    named = [formats] if isinstance(formats, str) else sequence_of_text(formats, "formats are a list of names, such as ['f32']")
    return Certificate(_quench.certify(inner_of(model), named))


def check(model: Model, certificate: Certificate | None = None) -> Verdict:
    """What the independent checker finds, with code of its own, of a certificate: the model's unless another is given.

    >>> import quench
    >>> quench.check(quench.compile("Q_a S Q_b")).computes_rule
    True
    """
    own = None if certificate is None else of_class(certificate, Certificate, "a certificate is a quench.Certificate")._inner
    return _quench.check(inner_of(model), own)


@explained
def verify(
    model: Model,
    rule: RuleLike | None = None,
    exhaustive: int | None = None,
    random_count: int | None = None,
    random_length: int = 200,
    seed: int = 1,
    threads: int = 0,
    format: Format = "f64",
    engine: Engine = "auto",
    hard: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """A model against a rule, by default its own, word by word: all words up to `exhaustive` and `random_count` random ones; if
    neither is given, up to 100,000 short words and 200 random ones. `progress(done, total)` is called now and then; what it
    raises ends the work, and so does Ctrl-C.

    >>> import quench
    >>> quench.verify(quench.compile("Q_a S Q_b"), exhaustive=5).differences
    0
    """
    for name, value in (("exhaustive", exhaustive), ("threads", threads)):
        if isinstance(value, int) and value < 0:
            raise UserError(f"{name} cannot be {value}: it is a whole number from 0 on")
    if progress is not None and not callable(progress):
        raise TypeError("progress is a function of how much is done and how much there is")
    inner = inner_of(model)
    against = as_rule(rule) if rule is not None else rule_of(model)
    return _quench.verify(
        against._inner, inner, exhaustive, random_count, random_length, seed, threads, format, engine, hard, progress
    )


def rule_of(model: Model) -> Rule:
    if not model.source:
        raise UserError("this model does not say of which rule it is; name one")
    return parse(model.source)
