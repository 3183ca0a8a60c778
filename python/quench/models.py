"""Compiled models: their weights, words through them, their proof and circuit, and the way to other tools."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from quench import _quench, display
from quench._quench import Summary
from quench.answers import Answer
from quench.arguments import explained, of_class
from quench.certificates import Certificate
from quench.errors import IoError
from quench.inspection import AttentionMap, Coordinate, Trace, Traced
from quench.names import AnswerKind, Engine, Format, Path
from quench.runs import Runner, Stream, Word

if TYPE_CHECKING:
    import torch

    from quench.quench_torch import QuenchModel

__all__ = ["Model", "load", "load_bytes"]

Target = Literal["hf", "hf-custom", "transformer-lens", "interpbench", "torch", "onnx", "circuit", "circuit-dot"]
Weights = Literal["f32", "f64"]
Architecture = Literal["gpt2", "opt"]


class Model:
    """A transformer. It never changes; threads may share it.

    >>> import quench
    >>> m = quench.compile("Q_a S Q_b", decoder=True)
    >>> m.symbols
    ['a', 'b']
    >>> m("cbaac").values
    array([False,  True,  True,  True, False])
    >>> m("cba").accept
    True
    """

    __slots__ = ("_document", "_inner", "_runner")

    def __init__(self, inner: _quench.Model):
        self._inner = of_class(inner, _quench.Model, "a Model is made by quench.compile, or read by quench.load")
        self._document: dict[str, Any] | None = None
        self._runner: Runner | None = None

    # What it is

    @property
    def summary(self) -> Summary:
        """Layers, heads, width, parameters, masks, temperatures."""
        return self._inner.summary()

    @property
    def source(self) -> str:
        """The rule it was compiled from, as text. A claim of the file: quench.check examines it."""
        return self._inner.source()

    @property
    def symbols(self) -> list[str]:
        """The symbols it tells apart. Words may have others, which it takes for one and the same."""
        return self._inner.symbols()

    @property
    def answers(self) -> AnswerKind:
        return cast(AnswerKind, self._inner.answers())

    @property
    def document(self) -> dict[str, Any]:
        """Everything but the weights: the JSON document of the model file (docs/model-format.md)."""
        if self._document is None:
            self._document = json.loads(_quench.document(self._inner))
        return self._document

    @property
    def coordinates(self) -> list[Coordinate]:
        """What the residual stream holds, where and when, in the rule's words."""
        return [Coordinate(tenant) for tenant in self.document["tenants"]]

    @property
    def certificate(self) -> Certificate | None:
        """The one it carries. Raises IoError if that is damaged."""
        found = _quench.certificate_of(self._inner)
        return None if found is None else Certificate(found)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of weights and metadata without the certificate."""
        return self._inner.fingerprint()

    def tensors(self) -> dict[str, npt.NDArray[np.float64]]:
        """The weights by their names in the model file.

        >>> import quench
        >>> quench.compile("Q_a S Q_b").tensors()["embedding"].shape
        (3, 6)
        """
        return _quench.tensors(self._inner)

    def circuit(self) -> dict[str, Any]:
        """The true circuit: nodes, and an edge for everything one reads from another (docs/exports.md).

        >>> import quench
        >>> sorted(quench.compile("prev Q_a").circuit())
        ['edges', 'format', 'nodes', 'recipe', 'source', 'version']
        """
        circuit: dict[str, Any] = json.loads(self.export("circuit")["circuit.json"])
        return circuit

    # Words through it

    @explained
    def runner(self, format: Format = "f64", engine: Engine = "auto", hard: bool = False, uncertified: bool = False) -> Runner:
        """Prepared for many words. Words beyond what the certificate answers for are refused, unless `uncertified`."""
        return Runner(_quench.Runner(self._inner, format, engine, hard, uncertified))

    def __call__(
        self, word: Word, format: Format = "f64", engine: Engine = "auto", hard: bool = False, uncertified: bool = False
    ) -> Answer:
        """The answer at every position of a word."""
        if (format, engine, hard, uncertified) != ("f64", "auto", False, False):
            return self.runner(format, engine, hard, uncertified)(word)
        if self._runner is None:
            self._runner = self.runner()
        return self._runner(word)

    def accepts(self, word: Word) -> bool:
        return self(word).accept

    @explained
    def stream(self, format: Format = "f64", uncertified: bool = False) -> Stream:
        """Raises UserError, naming the head or encoding, for models that need to know what comes later."""
        return Stream(_quench.Stream(self._inner, format, uncertified))

    @explained
    def trace(
        self,
        word: str,
        format: Format = "f64",
        hard: bool = False,
        ablate: Sequence[tuple[int, int]] = (),
        patch: Sequence[tuple[str, int, float]] = (),
        attention: bool = True,
    ) -> Trace:
        """What the network holds after every sublayer, and what its heads attend to, by the reference engine. `ablate` has heads
        (layer, head) that contribute nothing; `patch` has (name of a coordinate, position from 1, value) to be overwritten.

        >>> import quench
        >>> quench.compile("Q_a S Q_b").trace("cba", ablate=[(0, 0)]).answer.accept
        False
        """
        symbols, answer, heads, values = _quench.trace(self._inner, word, format, hard, list(ablate), list(patch), attention)
        names = [[head["name"] for head in layer["heads"]] for layer in self.document["layers"]]
        coordinates = self.coordinates
        return Trace(
            symbols,
            Answer(*answer),
            [AttentionMap(layer, head, names[layer][head], symbols, weights) for layer, head, weights, _ in heads],
            [Traced(coordinates[tenant], sublayer, held) for tenant, sublayer, held in values],
        )

    @explained
    def warmed(self, factor: float) -> Model:
        """The same network with every temperature times a factor: above 1 warmer, towards 0 colder. Without a certificate."""
        return Model(_quench.warmed(self._inner, factor))

    @explained
    def attention(self, word: str, layer: int = 0, head: int = 0, format: Format = "f64", hard: bool = False) -> AttentionMap:
        """What one head looks at, on a word of up to 4096 symbols.

        >>> import quench
        >>> quench.compile("prev Q_a").attention("abca").weights[2].round(2)
        array([0., 1., 0., 0.])
        """
        weights = _quench.head_attention(self._inner, word, layer, head, format, hard)
        name = self.document["layers"][layer]["heads"][head]["name"]
        return AttentionMap(layer, head, name, self.split(word), weights)

    def split(self, word: str) -> list[str]:
        """The symbols of a word."""
        return list(word) if all(len(symbol) == 1 for symbol in self.symbols) else word.split()

    # Out into the world

    @explained
    def save(self, path: Path, even_if_large: bool = False) -> None:
        """As one .safetensors file, whole or not at all."""
        _quench.save(self._inner, os.fspath(path), even_if_large)

    @explained
    def export(
        self,
        target: Target,
        context: int = 1024,
        dtype: Weights = "f32",
        architecture: Architecture = "gpt2",
        bos: bool = False,
    ) -> dict[str, bytes]:
        """What `quench export --to` writes, as bytes by name. Raises UserError if the target cannot hold the model."""
        return _quench.export_files(self._inner, target, context, dtype, architecture, bos)

    @explained
    def to_hf(
        self,
        folder: Path,
        n_ctx: int = 1024,
        dtype: Weights = "f32",
        custom: bool = False,
        architecture: Architecture = "gpt2",
        bos: bool = False,
    ) -> None:
        """A folder for Hugging Face: a stock GPT-2 or OPT, for decoders; or any model, with code of ours, if `custom`.

        `bos`: one more token stands before every word, and no head sees it."""
        target = "hf-custom" if custom else "hf"
        _quench.export_folder(self._inner, target, os.fspath(folder), n_ctx, dtype, architecture, bos)

    def to_onnx(self, path: Path, dtype: Weights = "f32") -> None:
        """One file of plain operators, opset 17."""
        content = self.export("onnx", dtype=dtype)["model.onnx"]
        try:
            FilePath(path).write_bytes(content)
        except OSError as error:
            raise IoError(f"{os.fspath(path)}: {error.strerror}") from error

    def to_torch(self, dtype: torch.dtype | None = None) -> QuenchModel:
        """An nn.Module with TransformerLens' hook names (quench.quench_torch), in float32 unless told otherwise."""
        import torch

        from quench.quench_torch import QuenchModel

        if dtype is not None:
            of_class(dtype, torch.dtype, "dtype is one of torch's, such as torch.float32")
        return QuenchModel.from_bytes(self.export("torch", dtype="f64")["model.safetensors"], dtype or torch.float32)

    def to_transformer_lens(self, n_ctx: int = 512, dtype: Weights = "f32") -> Any:
        """A decoder as a model of TransformerLens: a TransformerBridge in version 4, a HookedTransformer before."""
        from quench.lens import load_transformer_lens

        return load_transformer_lens(self.export("transformer-lens", n_ctx, dtype))

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return (load_bytes, (_quench.save_bytes(self._inner),))

    def __repr__(self) -> str:
        summary = self.summary
        return f"Model({summary.recipe}, {summary.layers} layers, {summary.heads} heads, width {summary.width})"

    def _repr_html_(self) -> str:
        summary, certificate = self.summary, self.certificate
        lengths = [entry for entry in (certificate.entries if certificate else []) if entry.summation == "any"]
        return display.definitions(
            [
                ("rule", self.source.strip()),
                ("logic", summary.logic),
                ("recipe", summary.recipe),
                ("kind", summary.kind),
                ("size", f"{summary.layers} layers, {summary.heads} heads, width {summary.width}, {summary.hidden_units} hidden units"),
                ("parameters", f"{summary.parameters} ({summary.nonzero_parameters} nonzero)"),
                ("temperature", ", ".join(summary.temperatures)),
                ("masks", ", ".join(summary.masks)),
                ("positions", ", ".join(summary.position_encodings)),
                ("certified", ", ".join(f"{one.format} {display.length(one.length)}" for one in lengths) or "nothing"),
            ]
        )


@explained
def load(path: Path) -> Model:
    """From a model file. Raises IoError on files that cannot be read or are no models."""
    return Model(_quench.load(os.fspath(path)))


@explained
def load_bytes(content: bytes, name: str = "model") -> Model:
    """From what such a file holds; the name is for messages."""
    return Model(_quench.load_bytes(content, name))


def inner_of(model: Model) -> _quench.Model:
    return of_class(model, Model, "this is for a quench.Model, which quench.compile makes and quench.load reads")._inner
