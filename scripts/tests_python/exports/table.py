"""What the tools said, as a table, and the table's place in docs/exports.md."""

import collections
import re

BEGIN, END = "<!-- written by scripts/tests_python/exports_test.py -->", "<!-- end -->"


def versions(result):
    return ", ".join(f"{name} {version}" for name, version in result["versions"].items())


def row(name, result):
    differences = [model["difference"] for model in result["models"] if model["difference"] is not None]
    positions, wrong = (sum(model[key] for model in result["models"]) for key in ("positions", "wrong"))
    single = sum(model["format"] == "f32" for model in result["models"])
    return [
        f"`{result['target']}`", versions(result), f"{len(result['models'])} ({single} in f32)", str(len(result["left_out"])),
        f"{max(model['longest'] for model in result['models']):,}", f"{positions:,}", f"{wrong:,}", f"{max(differences):.1e}" if differences else "",
    ]  # fmt: skip


HEADING = ["target", "tool", "models", "left out", "longest word", "positions", "wrong", "residual stream"]


def markdown(results):
    lines = ["| " + " | ".join(HEADING) + " |", "|---|---|---|---|---|---|---|---|"]
    lines += ["| " + " | ".join(row(name, result)) + " |" for name, result in results.items()]
    return "\n".join(lines) + "\n"


def reasons(results):
    """Why examples are left out, for each target once."""
    lines, seen = [], set()
    for result in results.values():
        if result["target"] in seen or not result["left_out"]:
            continue
        seen.add(result["target"])
        grouped = collections.defaultdict(list)
        for rule, why in result["left_out"].items():
            grouped[kind_of_reason(why)].append(rule)
        for why, rules in sorted(grouped.items()):
            lines.append(f"- `{result['target']}` leaves out {len(rules)}: {why} ({', '.join(f'`{rule}`' for rule in sorted(rules))}).")
    return "\n".join(lines) + "\n" if lines else ""


def kind_of_reason(why):
    """Without what is about one rule."""
    why = re.sub(r"^[EW]\d+: ", "", why)
    why = re.sub(r'^(head|position encoding) "[^"]*"( of layer \d+)? ', r"a \1 ", why)
    if "to its right" in why:
        return "a decoder sees nothing to the right"
    return why


def put_into(document, text):
    """Between the marks."""
    before, rest = document.read_text().split(BEGIN, 1)
    _, after = rest.split(END, 1)
    document.write_text(f"{before}{BEGIN}\n{text}{END}{after}")
