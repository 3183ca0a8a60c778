"""Networks of the same architecture, trained on words that a rule labels: does a network learn what the compiler writes down?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quench import _quench
from quench._quench import Accuracy
from quench.arguments import explained, of_class, sequence_of_text
from quench.models import Model, inner_of
from quench.names import Mask
from quench.rules import RuleLike, as_rule

__all__ = ["Trained", "accuracy", "train"]


class Trained:
    """A network that was trained."""

    def __init__(self, inner: _quench.Trained):
        inner = of_class(inner, _quench.Trained, "a Trained is what quench.train returns")
        self.model = Model(inner.model)
        self.loss = inner.loss
        """Of the last step."""
        self.steps = inner.steps
        self.held_out: Accuracy = inner.held_out
        """On words of the greatest length that no step saw."""
        self.parameters = inner.parameters

    def __repr__(self) -> str:
        return f"Trained(steps={self.steps}, loss={self.loss:.4f}, held_out={self.held_out.of_words:.3f})"


@explained
def train(
    rule: RuleLike,
    *,
    layers: int = 2,
    heads: int = 2,
    width: int = 16,
    hidden: int = 0,
    positions: Sequence[str] = ("i/n", "1/i", "(-1)^i"),
    mask: Mask | None = None,
    length: int = 40,
    batch: int = 32,
    unmentioned: bool = False,
    last_only: bool = False,
    steps: int = 2000,
    seed: int = 1,
    rate: float = 5e-3,
    clip: float = 1.0,
    tau: tuple[float, float] = (1.0, 0.5),
    entropy: float = 0.0,
    progress: Callable[[int, int], object] | None = None,
) -> Trained:
    """Trains a network on random words of length 1 to `length`. The same bits for the same rule and options. `tau` is the
    temperature of attention, from warm to cold; without `mask` heads look to the left, and every second one to the right if
    the rule does. `progress(done, total)` is called now and then; what it raises ends the work, and so does Ctrl-C.

    >>> import quench
    >>> quench.train("O Q_a", steps=20, length=8, batch=8).steps
    20
    """
    if not isinstance(tau, (tuple, list)) or len(tau) != 2:
        raise TypeError("tau is a pair of temperatures, from and to, as in (1.0, 0.5)")
    if progress is not None and not callable(progress):
        raise TypeError("progress is a function of how much is done and how much there is")
    encodings = [positions] if isinstance(positions, str) else sequence_of_text(positions, "positions are a list of names, such as ['i/n']")
    options = {
        "layers": layers, "heads": heads, "width": width, "hidden": hidden, "positions": encodings, "mask": mask or "",
        "length": length, "batch": batch, "unmentioned": unmentioned, "last_only": last_only, "steps": steps, "seed": seed,
        "rate": rate, "clip": clip, "tau_from": tau[0], "tau_to": tau[1], "entropy": entropy,
    }  # fmt: skip
    return Trained(_quench.train(as_rule(rule)._inner, options, progress))


@explained
def accuracy(rule: RuleLike, model: Model, length: int, words: int = 500, seed: int = 1) -> Accuracy:
    """How often a model says what the rule says, on random words of one length.

    >>> import quench
    >>> quench.accuracy("O Q_a", quench.compile("O Q_a"), 50, 20).of_words
    1.0
    """
    return _quench.accuracy(as_rule(rule)._inner, inner_of(model), length, words, seed)
