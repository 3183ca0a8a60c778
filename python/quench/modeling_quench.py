"""A model of Quench for Hugging Face transformers: `quench export --to hf-custom` writes this file beside the weights.

    model = AutoModelForTokenClassification.from_pretrained(folder, trust_remote_code=True)

What is computed is in quench_torch.py; batches may be padded on either side.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput, TokenClassifierOutput

from .quench_torch import QuenchModel


class QuenchConfig(PretrainedConfig):  # type: ignore[no-untyped-call,unused-ignore]
    model_type = "quench"

    def __init__(self, document: dict[str, Any] | None = None, shapes: list[list[int]] | None = None, **kwargs: Any):
        self.document = document
        self.shapes = shapes or []
        super().__init__(**kwargs)


class QuenchForTokenClassification(PreTrainedModel):  # type: ignore[no-untyped-call,unused-ignore]
    """A label at every position."""

    config_class = QuenchConfig
    base_model_prefix = "network"

    def __init__(self, config: QuenchConfig):
        super().__init__(config)
        self.network = QuenchModel(config.document or {}, [(k, v, m) for k, v, m in config.shapes])
        self.post_init()  # type: ignore[no-untyped-call,unused-ignore]

    def _init_weights(self, module: Any) -> None:
        """The weights are compiled: there is nothing to draw at random."""

    def logits(self, input_ids: Tensor, attention_mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """With who is there; without a mask, that is everything but padding."""
        present = input_ids != self.config.pad_token_id if attention_mask is None else attention_mask.bool()
        return self.network(input_ids, present), present

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any) -> Any:
        return TokenClassifierOutput(logits=self.logits(input_ids, attention_mask)[0])


class QuenchForSequenceClassification(QuenchForTokenClassification):  # type: ignore[no-untyped-call,unused-ignore]
    """The label at the last position of every word."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any) -> Any:
        logits, present = self.logits(input_ids, attention_mask)
        last = present.long().cumsum(1).argmax(1)  # the first place at which all are counted
        return SequenceClassifierOutput(logits=logits[torch.arange(len(last), device=last.device), last])
