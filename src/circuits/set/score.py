#!/usr/bin/env python3
"""Holds scores of edges against the true circuits of a set that `quench circuits` wrote. Needs numpy.

usage: score.py SET SCORES.json [--model MODEL] [--against circuit|visible|all] [--json]

SCORES.json is {"MODEL": {"EDGE": score, ...}, ...}, with the names of MODEL/edges.json; what counts is the absolute value of a score, and an edge
without one has 0. Of one model it may also be {"EDGE": score, ...} with --model MODEL.

  --against circuit   candidates from anything but pos_embed, which is the same in both words of every pair (the default)
            visible   of these, without the true edges that carry the same in both words of every pair
            all       all candidates

AUROC is how often a true edge has a higher score than a false one, ties counting half. AP is the average precision; edges with one score come
together. P@true is the share of true edges among the first so many as there are, the mean over all orders of ties; it is the recall
there, too. `found` counts the true edges whose score is above a thousandth of the greatest, `spurious` the false ones.
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np

KEPT = 1e-3  # of the greatest score


class BadScores(Exception):
    pass


def candidates(folder, against="circuit"):
    """The names of the edges that count, and whether each is true."""
    edges = json.loads((Path(folder) / "edges.json").read_text())["edges"]
    if against != "all":
        edges = [edge for edge in edges if not edge["edge"].startswith("pos_embed->")]
    if against == "visible":
        edges = [edge for edge in edges if edge["differs"] > 0 or not edge["true"]]
    return [edge["edge"] for edge in edges], np.array([edge["true"] for edge in edges], dtype=bool)


def auroc(scores, labels):
    true, false = scores[labels], scores[~labels]
    if not len(true) or not len(false):
        return float("nan")
    return float(((true[:, None] > false) + 0.5 * (true[:, None] == false)).mean())


def average_precision(scores, labels):
    found = taken = total = 0
    for score in np.unique(scores)[::-1]:
        here = scores == score
        taken, now = taken + here.sum(), labels[here].sum()
        found += now
        total += now * found / taken
    return float(total / labels.sum()) if labels.any() else float("nan")


def precision_at_true(scores, labels):
    count = int(labels.sum())
    if not count:
        return float("nan")
    least = np.sort(scores)[::-1][count - 1]
    above, tied = scores > least, scores == least
    places = count - above.sum()
    return float((labels[above].sum() + labels[tied].sum() * places / tied.sum()) / count)


def score_model(folder, scores, against="circuit"):
    known = {edge["edge"] for edge in json.loads((Path(folder) / "edges.json").read_text())["edges"]}
    name = Path(folder).name
    for edge, value in scores.items():
        if edge not in known:
            raise BadScores(f"{name}: there is no edge {edge!r}; edges.json has their names")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            raise BadScores(f"{name}: the score of {edge} is {value!r}, not a finite number")
    names, labels = candidates(folder, against)
    values = np.abs(np.array([scores.get(edge, 0.0) for edge in names], dtype=float))
    kept = values > KEPT * values.max(initial=0)
    return {"candidates": len(names), "true": int(labels.sum()), "auroc": auroc(values, labels),
            "average_precision": average_precision(values, labels), "precision_at_true": precision_at_true(values, labels),
            "found": int((kept & labels).sum()), "spurious": int((kept & ~labels).sum())}


def score_set(folder, scores, against="circuit"):
    """The results by model, for the models that have scores."""
    known = [model["name"] for model in json.loads((Path(folder) / "index.json").read_text())["models"]]
    for name, edges in scores.items():
        if name not in known:
            raise BadScores(f"there is no model {name!r} in {folder}; of one model alone, say which: --model NAME")
        if not isinstance(edges, dict):
            raise BadScores(f"{name}: an object with a score by edge is needed")
    return {name: score_model(Path(folder) / name, scores[name], against) for name in known if name in scores}


def mean(results, key):
    values = [result[key] for result in results.values() if np.isfinite(result[key])]
    return float(np.mean(values)) if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--model", help="the file has the scores of this model alone")
    parser.add_argument("--against", choices=["circuit", "visible", "all"], default="circuit")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        scores = json.loads(arguments.scores.read_text())
        if not isinstance(scores, dict):
            raise BadScores(f"{arguments.scores}: an object is needed")
        results = score_set(arguments.set, {arguments.model: scores} if arguments.model else scores, arguments.against)
    except (OSError, ValueError, BadScores) as error:
        sys.exit(f"error: {error}")
    if arguments.json:
        return print(json.dumps(results))
    columns = ["auroc", "average_precision", "precision_at_true"]
    print(f"{'model':28}{'candidates':>11}{'true':>6}{'AUROC':>8}{'AP':>7}{'P@true':>8}{'found':>7}{'spurious':>10}")
    for name, result in results.items():
        print(f"{name:28}{result['candidates']:>11}{result['true']:>6}{result['auroc']:>8.3f}{result['average_precision']:>7.3f}"
              f"{result['precision_at_true']:>8.3f}{result['found']:>7}{result['spurious']:>10}")
    auroc_mean, ap, precision = (mean(results, column) for column in columns)
    print(f"{'mean':45}{auroc_mean:>8.3f}{ap:>7.3f}{precision:>8.3f}")


if __name__ == "__main__":
    main()
