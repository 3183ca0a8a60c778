"""How things show themselves in a notebook: plain HTML and SVG, which need nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

CELL = 18  # pixels of a square of an attention map


def length(value: int) -> str:
    """A certified length as people write it."""
    return "no limit" if value >= 2**53 else f"{value:,}"


def table(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heading)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def definitions(rows: Iterable[tuple[str, Any]]) -> str:
    """A table of two columns without a heading."""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(str(value))}</td></tr>"
        for name, value in rows
    )
    return f"<table><tbody>{body}</tbody></table>"


def attention_svg(symbols: Sequence[str], weights: npt.NDArray[np.float64], title: str) -> str:
    """Queries downwards, keys to the right; the darker, the more weight."""
    n, edge = len(symbols), 30
    parts = [f"<text x='0' y='12' font-size='12'>{escape(title)}</text>"]
    for at, symbol in enumerate(symbols):
        middle = edge + at * CELL + CELL / 2
        parts.append(f"<text x='{middle}' y='{edge - 3}' font-size='11' text-anchor='middle'>{escape(symbol)}</text>")
        parts.append(f"<text x='{edge - 6}' y='{middle + 4}' font-size='11' text-anchor='end'>{escape(symbol)}</text>")
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            parts.append(
                f"<rect x='{edge + j * CELL}' y='{edge + i * CELL}' width='{CELL}' height='{CELL}' fill='#1f4e9c' "
                f"fill-opacity='{weight:.3f}' stroke='#ddd'><title>{escape(symbols[i])} {i + 1} \u2192 "
                f"{escape(symbols[j])} {j + 1}: {weight:.4f}</title></rect>"
            )
    size = edge + n * CELL + 2
    width = max(size, 8 * len(title))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{size}' font-family='monospace'>"
        + "".join(parts)
        + "</svg>"
    )
