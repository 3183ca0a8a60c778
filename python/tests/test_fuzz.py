"""Random objects as arguments of everything (fuzz_binding.py), in a process of its own with a limit of memory and time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_that_is_handed_in_crashes_hangs_or_eats_the_memory(seed):
    command = [sys.executable, Path(__file__).with_name("fuzz_binding.py"), "--calls", "2000", "--seed", str(seed)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert finished.returncode == 0, finished.stderr[-3000:]
    counts = json.loads(finished.stdout.splitlines()[-1])
    assert counts["returned"] > 500 and counts["raised"] > 500
    assert counts["peak_MB"] < 4000
