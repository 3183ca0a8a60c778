"""The attention that models are made of, on arrays of your own: masks, temperatures, every weighting from soft to hard, forward
and backward (docs/attention.md has the mathematics).

>>> import numpy
>>> from quench import attention
>>> queries, keys, values = numpy.ones((2, 1)), numpy.array([[0.0], [1.0]]), numpy.array([[10.0], [20.0]])
>>> attention.attend(queries, keys, values, mask="future", temperature=0.1).round(3)
array([[10.],
       [20.]])

Arrays of float64 and float32 are read where they are; results keep the memory they were computed in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from quench import _quench
from quench.arguments import explained
from quench.errors import UserError
from quench.names import Mask, Weighting

__all__ = ["attend", "attend_backward", "weights"]

Array = npt.NDArray[np.float64]


@explained
def attend(
    queries: npt.ArrayLike,
    keys: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    mask: Mask = "none",
    weighting: Weighting = "softmax",
    temperature: float = 1.0,
    scaled: bool = True,
    parameter: float | None = None,
    seed: int = 0,
) -> npt.NDArray[Any]:
    """The sum of the values by their weights, for every query: queries n x d_k, keys m x d_k, values m x d_v, result n x d_v.
    A query that sees no key gets zeros. If all three are float32 and the weighting is softmax, all is done in float32, and
    otherwise in float64. `scaled`: scores are q.k/sqrt(d_k); `parameter` is that of scalable_softmax, entmax and gap_adaptive."""
    options = _quench.AttentionOptions(mask, weighting, temperature, scaled, parameter, seed)
    single_precision = all(getattr(array, "dtype", None) == np.float32 for array in (queries, keys, values))
    if weighting == "softmax" and temperature > 0 and single_precision:
        single = [rows(array, np.float32) for array in (queries, keys, values)]
        return _quench.attend_f32(single[0], single[1], single[2], options)
    double = [rows(array) for array in (queries, keys, values)]
    return _quench.attend_f64(double[0], double[1], double[2], options)


@explained
def attend_backward(
    queries: npt.ArrayLike,
    keys: npt.ArrayLike,
    values: npt.ArrayLike,
    d_result: npt.ArrayLike,
    *,
    mask: Mask = "none",
    weighting: Weighting = "softmax",
    temperature: float = 1.0,
    scaled: bool = True,
    parameter: float | None = None,
    seed: int = 0,
) -> tuple[Array, Array, Array]:
    """The gradients to queries, keys and values of a loss whose gradient to the result of attend() is `d_result`."""
    options = _quench.AttentionOptions(mask, weighting, temperature, scaled, parameter, seed)
    return _quench.attend_backward(rows(queries), rows(keys), rows(values), rows(d_result), options)


@explained
def weights(
    queries: npt.ArrayLike,
    keys: npt.ArrayLike,
    *,
    mask: Mask = "none",
    weighting: Weighting = "softmax",
    temperature: float = 1.0,
    scaled: bool = True,
    parameter: float | None = None,
    seed: int = 0,
) -> Array:
    """All weights, n x m: for looking at small cases."""
    options = _quench.AttentionOptions(mask, weighting, temperature, scaled, parameter, seed)
    return _quench.attention_weights(rows(queries), rows(keys), options)


def rows(array: npt.ArrayLike, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """By rows without gaps, in one format; not copied if it is that already."""
    try:
        found = np.asarray(array)
        if found.dtype.kind not in "?biufO":
            raise TypeError("its entries are complex" if found.dtype.kind == "c" else f"its entries are of the type {found.dtype}")
        if found.ndim != 2:
            raise UserError(f"attention is of matrices: arrays of two dimensions, not {found.ndim}")
        return np.ascontiguousarray(found, dtype=dtype)
    except UserError:
        raise
    except (TypeError, ValueError) as error:
        raise UserError(f"this is not an array of numbers: {error}") from error
