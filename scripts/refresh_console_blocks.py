#!/usr/bin/env python3
"""Reruns every command shown in ```console blocks and writes its output below it: refresh_console_blocks.py PROGRAM FILE..."""
import os
import pathlib
import subprocess
import sys
import tempfile

program, files = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
root = pathlib.Path(__file__).resolve().parent.parent
environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")


def output_of(command, directory):
    done = subprocess.run(command, shell=True, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout + done.stderr


def refreshed(text, directory):
    lines, inside, skipping = [], False, False
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            inside, skipping = line.strip() == "```console", False
        ours = line.startswith(("$ quench ", "$ printf ", "$ cat "))
        if inside and line.startswith("$ "):
            skipping = ours
            lines.append(line)
            if ours:
                lines.append(output_of(line[2:], directory))
        elif not skipping:
            lines.append(line)
    return "".join(lines)


for name in files:
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(root / "examples", pathlib.Path(directory) / "examples")
        path = pathlib.Path(name)
        path.write_text(refreshed(path.read_text(), directory))
