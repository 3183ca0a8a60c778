"""The folder of `--to hf --architecture opt`, a stock OPT: transformers has a class that answers at the last position, and its head gives the
answers everywhere."""

import torch
import transformers

from exports.tools import Loaded, answers_of, versions_of

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def versions():
    return versions_of("transformers", "torch")


def load(path, job):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(path).eval()

    def answers(batch):
        ids = torch.tensor(batch)
        with torch.no_grad():
            everywhere = model.score(model.model(input_ids=ids).last_hidden_state)
            if len(batch[0]) <= 500:
                assert torch.equal(model(input_ids=ids).logits.argmax(-1), everywhere[:, -1].argmax(-1))
        return answers_of(everywhere, job).tolist()

    return Loaded(answers)
