"""quench.attention as a differentiable function of PyTorch tensors, on the CPU in float64 inside.

    context = attend(q, k, v, mask="future", weighting="sparsemax")      # n x d_v; gradients flow to q, k and v
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from quench import attention

__all__ = ["attend"]


class Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, keys: Tensor, values: Tensor, options: dict[str, Any]) -> Tensor:
        ctx.save_for_backward(queries, keys, values)
        ctx.options = options
        return like(attention.attend(*map(array, (queries, keys, values)), **options), queries)

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> Any:
        tensors = ctx.saved_tensors
        found = attention.attend_backward(*map(array, (*tensors, *upstream)), **ctx.options)
        return (*(like(gradient, tensor) for gradient, tensor in zip(found, tensors)), None)


def array(tensor: Tensor) -> Any:
    return tensor.detach().double().cpu().numpy()


def like(found: Any, tensor: Tensor) -> Tensor:
    return torch.from_numpy(found).to(tensor)


def attend(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> Tensor:
    """quench.attention.attend with its options: queries n x d_k, keys m x d_k, values m x d_v."""
    result: Tensor = Attend.apply(queries, keys, values, options)
    return result
