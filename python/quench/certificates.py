"""Certificates: up to which length a model is provably right in a number format (docs/certificates.md)."""

from __future__ import annotations

from quench import _quench, display
from quench._quench import CertificateEntry
from quench.arguments import explained, of_class
from quench.names import Format, Summation

__all__ = ["NO_LIMIT", "Certificate"]

NO_LIMIT = 2**53
"""Stands for: no limit below it."""


class Certificate:
    """What a certificate says. Whether it is true is for quench.check to find out.

    >>> import quench
    >>> quench.compile("Q_a S Q_b").certificate.length("f32")
    4194304
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: _quench.Certificate):
        self._inner = of_class(inner, _quench.Certificate, "a Certificate is a model's, or made by quench.certify or Certificate.from_json")

    @classmethod
    @explained
    def from_json(cls, text: str) -> Certificate:
        """Read strictly. Raises IoError that says what is wrong."""
        return cls(_quench.read_certificate(text))

    @property
    def entries(self) -> list[CertificateEntry]:
        return self._inner.entries()

    @explained
    def length(self, format: Format = "f32", summation: Summation = "any") -> int | None:
        """The length promised to engines that sum like this, or better; None if it does not speak of the format."""
        return self._inner.length(format, summation)

    @property
    def fingerprint(self) -> str:
        """Of the model it speaks of."""
        return self._inner.fingerprint()

    def to_json(self) -> str:
        return self._inner.to_json()

    def __repr__(self) -> str:
        lengths = ", ".join(f"{entry.format} {entry.length}" for entry in self.entries if entry.summation == "any")
        return f"Certificate({lengths})"

    def _repr_html_(self) -> str:
        return display.table(
            ["format", "sums", "every word up to", "limited by"],
            [[entry.format, entry.summation, display.length(entry.length), entry.limiting_head] for entry in self.entries],
        )
