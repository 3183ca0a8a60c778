"""The circuits benchmark: score.py on examples by hand, methods.py on two small models, against what the command found by itself."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
QUENCH = ROOT / "build" / "release" / "quench"
MODELS = ["tomita_1", "flip_flop"]


def module_in(folder, name):
    spec = importlib.util.spec_from_file_location(f"circuits_{name}", folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not QUENCH.exists():
        pytest.skip("the program is not built")
    made = tmp_path_factory.mktemp("circuits") / "set"
    subprocess.run([QUENCH, "circuits", "-o", made, "--only", ",".join(MODELS), "--pairs", "40"], check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def score(folder):
    return module_in(folder, "score")


@pytest.fixture(scope="module")
def methods(folder):
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    return module_in(folder, "methods")


def edges_of(folder, model):
    return json.loads((folder / model / "edges.json").read_text())["edges"]


def test_measures_by_hand(score):
    labels = np.array([True, True, False, False])
    for values, auroc, precision, at_true in [
        ([4, 3, 2, 1], 1, 1, 1),
        ([1, 2, 3, 4], 0, (1 / 3 + 2 / 4) / 2, 0),
        ([0, 0, 0, 0], 0.5, 0.5, 0.5),
        ([2, 0, 0, 0], 0.75, (1 + 2 / 4) / 2, (1 + 1 / 3) / 2),
        ([4, 2, 3, 1], 0.75, (1 + 2 / 3) / 2, 0.5),
    ]:
        values = np.array(values, dtype=float)
        assert score.auroc(values, labels) == pytest.approx(auroc)
        assert score.average_precision(values, labels) == pytest.approx(precision)
        assert score.precision_at_true(values, labels) == pytest.approx(at_true)


def test_the_truth_itself_is_perfect(folder, score):
    for model in MODELS:
        edges = edges_of(folder, model)
        truth = {edge["edge"]: -1.0 if edge["true"] else 0.0 for edge in edges}  # the absolute value counts
        for against in ("circuit", "visible", "all"):
            result = score.score_model(folder / model, truth, against)
            assert result["auroc"] == result["average_precision"] == result["precision_at_true"] == 1
            assert result["found"] == result["true"] and result["spurious"] == 0
        assert score.score_model(folder / model, {}, "all")["auroc"] == 0.5


def test_bad_scores_are_told(folder, score, tmp_path):
    with pytest.raises(score.BadScores, match="no edge"):
        score.score_model(folder / "tomita_1", {"a0.h0->a0.h0": 1})
    with pytest.raises(score.BadScores, match="not a finite number"):
        score.score_model(folder / "tomita_1", {"embed->m0": float("nan")})
    with pytest.raises(score.BadScores, match="no model"):
        score.score_set(folder, {"unknown": {}})
    (tmp_path / "scores.json").write_text("[]")
    done = subprocess.run([sys.executable, folder / "score.py", folder, tmp_path / "scores.json"], capture_output=True, text=True)
    assert done.returncode == 1 and "an object is needed" in done.stderr


def test_patching_is_what_the_command_found(folder, methods):
    for model in MODELS:
        scores = methods.edge_scores(folder / model, "patching")
        for edge in edges_of(folder, model):
            assert (abs(scores[edge["edge"]]) > 1e-3) == (edge["changes"] > 0), edge


@pytest.mark.parametrize("method", ["eap", "eap-ig-inputs", "eap-ig-activations", "patching", "acdc"])
def test_no_method_names_a_false_edge(folder, methods, score, method):
    for model in MODELS:
        result = score.score_model(folder / model, methods.edge_scores(folder / model, method, steps=10))
        assert result["spurious"] == 0
        assert 1 <= result["found"] <= result["true"]
    if method == "eap":
        assert result["found"] == 1  # flip_flop: the last edge alone has a gradient


def blurred(methods, folder):
    """A network with noise on its weights, in which nothing is flat."""
    torch = methods.torch
    network, pairs = methods.Network(folder), methods.Pairs(folder)
    generator = torch.Generator().manual_seed(1)
    for name, tensor in network.weights.items():
        scale = 0.02 if "attn.W_Q" in name else 0.3
        network.weights[name] = tensor * 0.02 + scale * torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype)
    return methods.Attribution(network, pairs)


def test_eap_is_the_derivative_of_patching(folder, methods):
    attribution = blurred(methods, folder / "flip_flop")
    scores, step = attribution.eap(), 1e-6
    with methods.torch.no_grad():
        clean = attribution.pairs.metric(attribution.clean_logits)
        for writer, reader in attribution.network.edges:
            instead = {reader: {writer: attribution.between(writer, 1 - step)}}
            moved = attribution.pairs.metric(attribution.network.run(attribution.pairs.clean, instead)[0])
            assert scores[writer, reader] == pytest.approx(((moved - clean) / step).item(), rel=1e-3, abs=1e-6)


def test_integrated_gradients_add_up(folder, methods):
    """What leaves the embedding adds up to the difference of the metric between the words."""
    attribution = blurred(methods, folder / "flip_flop")
    scores = attribution.eap_ig_inputs(400)
    from_embedding = sum(score for (writer, _), score in scores.items() if writer == "embed")
    with methods.torch.no_grad():
        clean = attribution.pairs.metric(attribution.clean_logits)
        corrupted = attribution.pairs.metric(attribution.network.run(attribution.pairs.corrupted)[0])
    assert from_embedding == pytest.approx((corrupted - clean).item(), rel=0.02)


def test_transformer_lens_says_the_same(folder, methods):
    pytest.importorskip("transformer_lens")
    lens = module_in(ROOT / "python" / "quench", "lens")
    for model in MODELS:
        files = {name: (folder / model / name).read_bytes() for name in ("config.json", "model.safetensors")}
        pairs, network = methods.Pairs(folder / model), methods.Network(folder / model)
        with methods.torch.no_grad():
            theirs, ours = lens.load_transformer_lens(files)(pairs.clean), network.run(pairs.clean)[0]
        assert pairs.at_last(theirs).argmax(-1).tolist() == pairs.clean_label.tolist()
        assert (pairs.at_last(theirs) - pairs.at_last(ours)).abs().max() < 1e-3
