"""Tries one tool on many exported models, in the environment of the tool: python -m exports.worker TOOL JOBS RESULT.

JOBS is a list as models.Prepared.export makes them; RESULT gets a JSON object with the tool's versions and one entry per model.
"""

import importlib
import importlib.metadata
import json
import sys
import time
from pathlib import Path

from exports import compare

SAMPLE = 60
"""So many of the words are tried in the other ways that a tool has to run a model."""


def sample(words):
    """Some short ones, and two longer ones."""
    short = [index for index, word in enumerate(words) if len(word) <= 8]
    long = sorted((index for index, word in enumerate(words) if 8 < len(word) <= 60), key=lambda index: -len(words[index]))
    return short[:: max(1, len(short) // SAMPLE)][:SAMPLE] + long[:2]


def tried(tool, job):
    cases = json.loads(Path(job["cases"]).read_text())
    words, truth = cases["words"], cases["truth"]
    loaded = tool.load(job["path"], job)
    wrong = compare.wrong_positions(job["output"], loaded.answers, words, truth)
    positions = sum(map(len, words))
    chosen = sample(words)
    for answers in loaded.other_ways:
        wrong += compare.wrong_positions(job["output"], answers, [words[at] for at in chosen], [truth[at] for at in chosen])
        positions += sum(len(words[at]) for at in chosen)
    difference = compare.largest_difference(cases["traces"], loaded.residual) if loaded.residual else None
    return {"rule": job["rule"], "format": job["format"], "positions": positions, "wrong": wrong, "difference": difference,
            "longest": max(map(len, words))}


def notices_a_wrong_answer(tool, job):
    """An answer that is turned round in one place must count as one wrong position."""
    cases = json.loads(Path(job["cases"]).read_text())
    word, right = cases["words"][-1], list(cases["truth"][-1])
    right[len(right) // 2] = 1 - right[len(right) // 2]
    return compare.wrong_positions(job["output"], tool.load(job["path"], job).answers, [word], [right]) == 1


def main():
    name, jobs, result = sys.argv[1:]
    tool = importlib.import_module(f"exports.tools.{name}")
    jobs = json.loads(Path(jobs).read_text())
    models, begin = [], time.process_time()
    for job in jobs:
        models.append(tried(tool, job))
        if models[-1]["wrong"]:
            print(f"{name}: {job['rule']}: {models[-1]['wrong']} wrong of {models[-1]['positions']}", flush=True)
    boolean = next(job for job in jobs if job["output"]["kind"] == "boolean")
    assert notices_a_wrong_answer(tool, boolean), "a wrong answer went unnoticed"
    seconds = time.process_time() - begin
    Path(result).write_text(json.dumps({"versions": tool.versions(), "models": models, "seconds": seconds}))


if __name__ == "__main__":
    main()
