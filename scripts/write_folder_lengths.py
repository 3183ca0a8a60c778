#!/usr/bin/env python3
"""Puts the certified lengths of exported folders into docs/exports.md: write_folder_lengths.py QUENCH [CONTEXT]

Every example that compiles as a decoder is exported as a stock GPT-2, and `quench check` derives its certificate again; examples with the
same lengths stand in one row."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARKS = re.compile(r"(<!-- written by scripts/write_folder_lengths.py -->\n).*?(<!-- end -->)", re.DOTALL)
ENGINES = ("any", "two-pass")


def lengths(quench, rule, context):
    """By engine, 0 for nothing; None for what is no stock decoder."""
    exact = [] if rule.suffix == ".tl" else ["--length", str(context)]
    with tempfile.TemporaryDirectory() as folder:
        command = [quench, "export", rule, "--decoder", *exact, "--to", "hf", "--context", str(context), "--json", "-o", f"{folder}/hf"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return None
        found = {entry["layer_norm"]: entry["length"] for entry in json.loads(done.stdout)["certificate"]["entries"]}
        if any(found.values()):
            subprocess.run([quench, "check", f"{folder}/hf"], check=True, capture_output=True)
        return tuple(found.get(engine, found["any"]) for engine in ENGINES)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    quench, context = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    rows = {}
    for folder in ("formulas", "programs", "automata"):
        for rule in sorted((ROOT / "examples" / folder).iterdir()):
            if (found := lengths(quench, rule, context)) is not None:
                rows.setdefault(found, []).append(f"`{rule.name}`")
    count = sum(map(len, rows.values()))
    text = f"| `--context {context}`: {count} decoders | any engine | normalisation by sums |\n|---|---|---|\n"
    for found, names in sorted(rows.items(), reverse=True):
        text += f"| {', '.join(names)} | " + " | ".join(f"{length:,}" if length else "–" for length in found) + " |\n"
    document = ROOT / "docs" / "exports.md"
    document.write_text(MARKS.sub(lambda match: match[1] + text + match[2], document.read_text()))
    print(text, end="")


if __name__ == "__main__":
    main()
