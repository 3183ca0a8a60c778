"""A decoder in the format of InterpBench: ll_model.pth, ll_model_cfg.pkl, and edges.pkl with the true edges of its circuit."""

from __future__ import annotations

import pickle
from pathlib import Path

from quench.errors import IoError
from quench.models import Model
from quench.names import Path as AnyPath

__all__ = ["edges", "write"]


def edges(model: Model) -> set[tuple[str, str]]:
    """Pairs of who writes and who reads, without what is the same at every position of every word.

    >>> import quench
    >>> from quench import interpbench
    >>> sorted(interpbench.edges(quench.compile("Q_a S Q_b", decoder=True)))[0]
    ('blocks.0.attn.hook_result[0]', 'blocks.0.mlp.hook_post')
    """
    found: set[tuple[str, str]] = pickle.loads(model.export("interpbench")["edges.pkl"])
    return found


def write(model: Model, folder: AnyPath, n_ctx: int = 512) -> None:
    """What `quench export --to interpbench` writes; torch is needed to load it, not to write it.

    Raises UserError if the model is no decoder, IoError if the folder cannot be written.
    """
    files = model.export("interpbench", n_ctx)
    try:
        into = Path(folder)
        into.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (into / name).write_bytes(content)
    except OSError as error:
        raise IoError(f"{folder}: {error.strerror}") from error
