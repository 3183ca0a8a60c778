from pathlib import Path

import pytest

import quench

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def flip_flop() -> quench.Model:
    return quench.compile(quench.read_rule(EXAMPLES / "formulas" / "flip_flop.tl"))
