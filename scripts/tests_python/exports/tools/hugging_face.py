"""The folder of `--to hf`, a stock GPT-2, in Hugging Face transformers: all classes that can load it, eager attention, and one symbol
after the other with a key-value cache."""

import torch
import transformers

from exports.tools import Loaded, answers_of, versions_of
from exports.words import text_of

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def versions():
    return versions_of("transformers", "torch")


def load(path, job):
    tokens = transformers.AutoModelForTokenClassification.from_pretrained(path).eval()
    sequences = transformers.AutoModelForSequenceClassification.from_pretrained(path).eval()
    eager = transformers.AutoModelForTokenClassification.from_pretrained(path, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)

    def answers(batch):
        assert tokenizer(text_of(job["symbols"], batch[0])).input_ids == batch[0]
        with torch.no_grad():
            ids = torch.tensor(batch)
            everywhere = tokens(input_ids=ids).logits
            if len(batch[0]) <= 500:
                assert torch.equal(sequences(input_ids=ids).logits.argmax(-1), everywhere[:, -1].argmax(-1))
        return answers_of(everywhere, job).tolist()

    def eagerly(batch):
        with torch.no_grad():
            return answers_of(eager(input_ids=torch.tensor(batch)).logits, job).tolist()

    def streamed(batch):
        """Logits of the body, one symbol at a time, by the head for tokens."""
        ids, cache, rows = torch.tensor(batch), None, []
        with torch.no_grad():
            for at in range(ids.shape[1]):
                out = tokens.transformer(input_ids=ids[:, at : at + 1], past_key_values=cache, use_cache=True)
                cache = out.past_key_values
                rows.append(answers_of(tokens.classifier(out.last_hidden_state), job))
        return torch.cat(rows, 1).tolist()

    def residual(word):
        """What goes into the first block and comes out of each. (The last of `hidden_states` is behind one more normalisation, which
        may shift all coordinates by the same amount.)"""
        states = []
        hooks = [tokens.transformer.drop.register_forward_hook(lambda module, given, out: states.append(out[0]))]
        for block in tokens.transformer.h:
            hooks.append(block.register_forward_hook(lambda module, given, out: states.append((out[0] if isinstance(out, tuple) else out)[0])))
        with torch.no_grad():
            tokens(input_ids=torch.tensor([word]))
        for hook in hooks:
            hook.remove()
        return states

    return Loaded(answers, residual, [eagerly, streamed])
