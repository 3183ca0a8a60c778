"""The folder of `--to hf-custom` in Hugging Face transformers, with words padded on both sides."""

import random

import torch
import transformers

from exports.tools import Loaded, versions_of
from exports.words import text_of

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def versions():
    return versions_of("transformers", "torch")


def load(path, job):
    with_code = {"trust_remote_code": True, "dtype": "auto"}  # version 4 makes everything float32 unless told
    tokens = transformers.AutoModelForTokenClassification.from_pretrained(path, **with_code).eval()
    sequences = transformers.AutoModelForSequenceClassification.from_pretrained(path, **with_code).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(path, trust_remote_code=True)
    labelled = job["output"]["kind"] in ("boolean", "string")

    def answers(batch):
        assert tokenizer(text_of(job["symbols"], batch[0])).input_ids == batch[0]
        n, padding = len(batch[0]), [tokens.config.pad_token_id] * 3
        sides = random.Random(n).choices((0, 1, 2, 3), k=len(batch))  # words of one length, padded by three on both sides
        padded = torch.tensor([padding[:side] + word + padding[side:] for side, word in zip(sides, batch)])
        mask = torch.tensor([[0] * side + [1] * n + [0] * (3 - side) for side in sides])
        with torch.no_grad():
            if labelled:
                found = tokens(input_ids=padded, attention_mask=mask).logits.argmax(-1)
                last = sequences(input_ids=padded, attention_mask=mask).logits.argmax(-1)
                assert last.tolist() == [row[side + n - 1].item() for side, row in zip(sides, found)]
            else:
                found = tokens.network.answers(padded, mask)
        return [row[side : side + n].tolist() for side, row in zip(sides, found)]

    return Loaded(answers)
