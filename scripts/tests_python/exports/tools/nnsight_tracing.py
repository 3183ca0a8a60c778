"""The stock GPT-2 of `--to hf` through nnsight: answers and residual stream are what a trace saves."""

import nnsight
import torch
import transformers

from exports.tools import Loaded, answers_of, versions_of

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def versions():
    return versions_of("nnsight", "transformers", "torch")


def first(output):
    """Blocks return their hidden states alone, or in a tuple, by the version of transformers."""
    return output[0] if isinstance(output, tuple) else output


def load(path, job):
    model = nnsight.NNsight(transformers.AutoModelForTokenClassification.from_pretrained(path).eval())

    def answers(batch):
        with torch.no_grad(), model.trace(torch.tensor(batch)):
            logits = model.classifier.output.save()
        return answers_of(logits, job).tolist()

    def residual(word):
        with torch.no_grad(), model.trace(torch.tensor([word])):
            before = model.transformer.drop.output.save()
            after = nnsight.save([block.output for block in model.transformer.h])
        return [before[0], *(first(one)[0] for one in after)]

    return Loaded(answers, residual)
