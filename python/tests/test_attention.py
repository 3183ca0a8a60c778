"""quench.attention against the definitions in numpy, and its gradients against finite differences."""

import numpy as np
import pytest

from quench import UserError, attention

MASKS = {
    "none": lambda i, j: j == j,
    "future": lambda i, j: j <= i,
    "past": lambda i, j: j >= i,
    "strict_future": lambda i, j: j < i,
    "strict_past": lambda i, j: j > i,
}
SMOOTH = ["softmax", "log_softmax", "scalable_softmax", "stick_breaking", "geometric", "monotonic", "gumbel_softmax"]
ALL = [*SMOOTH, "leftmost", "rightmost", "average", "sparsemax", "entmax", "entropy_adaptive", "gap_adaptive", "straight_through"]


def arrays(n=7, m=7, d=3, e=2):
    random = np.random.default_rng(1)
    return random.normal(size=(n, d)), random.normal(size=(m, d)), random.normal(size=(m, e))


def softmax_by_definition(q, k, v, mask, temperature):
    scores = q @ k.T / np.sqrt(q.shape[1]) / temperature
    visible = MASKS[mask](np.arange(len(q))[:, None], np.arange(len(k))[None, :])
    powers = np.where(visible, np.exp(scores - scores.max(1, keepdims=True)), 0)
    total = powers.sum(1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0) @ v


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("temperature", [0.3, 1.0])
def test_softmax(mask, temperature):
    q, k, v = arrays()
    expected = softmax_by_definition(q, k, v, mask, temperature)
    assert np.allclose(attention.attend(q, k, v, mask=mask, temperature=temperature), expected, atol=1e-13)
    single = [array.astype(np.float32) for array in (q, k, v)]
    found = attention.attend(*single, mask=mask, temperature=temperature)
    assert found.dtype == np.float32 and np.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("weighting", ALL)
@pytest.mark.parametrize("mask", ["none", "future", "strict_future"])
def test_results_are_weights_times_values(weighting, mask):
    q, k, v = arrays()
    found = attention.weights(q, k, mask=mask, weighting=weighting)
    assert (found >= 0).all() and (found.sum(1) <= 1 + 1e-12).all()
    assert np.allclose(attention.attend(q, k, v, mask=mask, weighting=weighting), found @ v, atol=1e-12)


def test_hard_weightings_choose():
    q, k = np.ones((1, 1)), np.array([[0.0], [1], [1]])
    assert attention.weights(q, k, weighting="leftmost").tolist() == [[0, 1, 0]]
    assert attention.weights(q, k, weighting="rightmost").tolist() == [[0, 0, 1]]
    assert attention.weights(q, k, weighting="average").tolist() == [[0, 0.5, 0.5]]


@pytest.mark.parametrize("weighting", [*SMOOTH, "entmax", "sparsemax"])
def test_gradients_are_those_of_finite_differences(weighting):
    q, k, v = arrays(5, 5)
    upstream = np.random.default_rng(2).normal(size=(5, 2))
    found = attention.attend_backward(q, k, v, upstream, mask="future", weighting=weighting)

    def loss(parts):
        return (attention.attend(*parts, mask="future", weighting=weighting) * upstream).sum()

    for which, gradient in enumerate(found):
        for at in np.ndindex(gradient.shape):
            up, down = [a.copy() for a in (q, k, v)], [a.copy() for a in (q, k, v)]
            up[which][at] += 1e-6
            down[which][at] -= 1e-6
            assert abs((loss(up) - loss(down)) / 2e-6 - gradient[at]) < 1e-6


def test_arrays_with_gaps_and_of_other_types():
    q, k, v = arrays()
    expected = attention.attend(q, k, v)
    assert np.array_equal(attention.attend(np.repeat(q, 2, 0)[::2], np.asfortranarray(k), v), expected)
    assert attention.attend([[1]], [[1]], [[2]]).tolist() == [[2.0]]


@pytest.mark.parametrize(
    "wrong",
    [
        dict(queries=np.zeros((2, 9))),
        dict(values=np.zeros((9, 1))),
        dict(queries=np.zeros(3)),
        dict(queries="abc"),
        dict(mask="left"),
        dict(weighting="max"),
        dict(temperature=-1.0),
        dict(weighting="entmax", parameter=0.5),
        dict(weighting="gap_adaptive", parameter=2.0),
    ],
)
def test_what_does_not_fit(wrong):
    q, k, v = arrays()
    given = {"queries": q, "keys": k, "values": v, **wrong}
    with pytest.raises(UserError):
        attention.attend(given.pop("queries"), given.pop("keys"), given.pop("values"), **given)


def test_a_gradient_of_another_shape():
    q, k, v = arrays()
    with pytest.raises(UserError):
        attention.attend_backward(q, k, v, np.zeros((1, 1)))
