"""The Python blocks of docs/python.md and docs/python/ run, and print what they say. A block that begins with >>> is a session;
others are programs whose output, if a text block follows, is what it prints. Blocks of a file share their names."""

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "docs" / "python.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def run_session(text, names, name):
    test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    found = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=found.write, clear_globs=False)
    assert runner.failures == 0, found.getvalue()
    names.update(test.globs)


def run_program(text, expected, names, name):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, name, "exec"), names)
    if expected is not None:
        assert doctest.OutputChecker().check_output(expected, printed.getvalue(), doctest.ELLIPSIS), printed.getvalue()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_document(document, monkeypatch, tmp_path):
    text = document.read_text()
    for needed in re.findall(r"^(?:>>> )?(?:import|from) (torch|transformers|transformer_lens|onnxruntime)\b", text, re.M):
        pytest.importorskip(needed)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    blocks = BLOCK.findall(text)
    assert blocks
    for block, expected in blocks:
        if block.startswith(">>>"):
            run_session(block, names, document.name)
        else:
            run_program(block, expected or None, names, document.name)
