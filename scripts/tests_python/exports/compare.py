"""How many positions of an exported model's answers are not the rule's, and how far its residual stream is off."""

import itertools

POSITIONS_AT_ONCE = 4_000
"""Words of one length go through a tool together, about so many positions at a time."""


def batches(words):
    """Numbers of words of one length."""
    by_length = {}
    for index, word in enumerate(words):
        by_length.setdefault(len(word), []).append(index)
    for length, indices in by_length.items():
        size = max(1, POSITIONS_AT_ONCE // length)
        yield from (indices[at : at + size] for at in range(0, len(indices), size))


def wrong_positions(output, answers, words, truth):
    return sum(
        wrong_in_row(output, row, truth[index])
        for indices in batches(words)
        for index, row in zip(indices, answers([words[index] for index in indices]), strict=True)
    )


def wrong_in_row(output, row, expected):
    """`row` has what `answers` of docs/exports.md says: truth, numbers, numbers of cases, scores in millionths."""
    if output["kind"] in ("scores", "ratios"):
        names = [case["symbols"][0] if case["symbols"] else "" for case in output["cases"]] if output.get("cases") else []
        return sum(not scores_agree(names, found, right) for found, right in itertools.zip_longest(row, expected))
    if output["kind"] == "string":
        row = put_out(output, row)
    return sum(found != right for found, right in itertools.zip_longest(row, expected))


def scores_agree(names, found, right):
    """Both are whole millionths; they may differ by one, since a score between two of them may be rounded either way."""
    if found is None or right is None:
        return False
    scores = [right[name] for name in names] if isinstance(right, dict) else [right]
    found = found if isinstance(found, list) else [found]
    return len(found) == len(scores) and all(abs(one - 1e6 * score) < 1.5 for one, score in zip(found, scores))


def agree(one, other):
    """Two answers of Quench's own; scores, which are printed in millionths, as above."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(agree(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return abs(one - other) < 1.5e-6 if isinstance(one, float) or isinstance(other, float) else one == other


def put_out(output, numbers):
    """The text that the cases of these numbers put out; `?` is what no case covers."""
    cases = [case["symbols"] for case in output["cases"]]
    symbols = [symbol for number in numbers for symbol in (cases[number] if 0 <= number < len(cases) else ["?"])]
    return ("" if all(len(symbol) == 1 for case in cases for symbol in case) else " ").join(symbols)


def largest_difference(traces, residual):
    """Over all coordinates that hold something after the embedding and every layer, relative where a value is above 1."""
    largest = 0.0
    for word, held in traces:
        found = residual(word)
        assert len(found) >= len(held)  # stock models have at least one layer, which then does nothing
        for step, coordinates in zip(found, held):
            for coordinate, values in coordinates.items():
                for one, right in zip(step[:, int(coordinate)].tolist(), values, strict=True):
                    largest = max(largest, abs(one - right) / max(1.0, abs(right)))
    return largest
