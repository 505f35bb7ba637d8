"""A flow is invertible, its log-determinant is that of autograd, and training makes rows more Gaussian."""

import numpy as np
import pytest
import torch

from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.geometry.corrections import CORRECTIONS, corrected, fitted


@pytest.fixture(scope="module")
def bent():
    """A space whose rows lie along a parabola, which no affine map makes Gaussian."""
    random = np.random.default_rng(0)
    first = random.normal(size=800)
    rows = np.column_stack([first, first**2 + 0.3 * random.normal(size=800), random.normal(size=(800, 3))])
    return VectorSpace([f"w{row}" for row in range(800)], rows.astype(np.float32), origin=Origin("test", "bent"))


@pytest.fixture(scope="module")
def flow(bent):
    return fitted(bent, "flow", np.arange(400))


def test_the_inverse_of_a_flow_gives_the_rows_back(bent, flow):
    standard = torch.from_numpy((bent.matrix - flow.shift) * flow.scale)
    through, _ = flow.forward(standard)
    assert float((through - standard).abs().max()) > 0.1
    assert float((flow.inverse(through) - standard).abs().max()) < 1e-5


def test_the_log_determinant_of_a_flow_is_that_of_autograd(bent, flow):
    rows = torch.from_numpy((bent.matrix[400:404] - flow.shift) * flow.scale)
    _, logs = flow.forward(rows)
    for row, log in zip(rows, logs, strict=True):
        jacobian = torch.autograd.functional.jacobian(lambda x: flow.forward(x[None])[0][0], row)
        assert float(torch.linalg.slogdet(jacobian)[1]) == pytest.approx(float(log), abs=1e-4)


def test_the_loss_of_a_flow_is_the_likelihood_and_falls_on_rows_that_it_did_not_see(bent):
    from scipy.stats import multivariate_normal

    start = fitted(bent, "flow", np.arange(400), steps=0)
    trained = fitted(bent, "flow", np.arange(400), steps=400)
    rows = torch.from_numpy((bent.matrix[400:] - start.shift) * start.scale)
    plain = -multivariate_normal(np.zeros(5), np.eye(5)).logpdf(rows.numpy()).mean() / 5

    def loss(one):
        z, logs = one.forward(rows)
        return float(((z**2).sum(dim=1) / 2 - logs).mean()) / 5 + np.log(2 * np.pi) / 2

    assert loss(start) == pytest.approx(plain, abs=1e-5)  # it begins as the identity
    assert loss(trained) < plain - 0.1
    assert trained.losses[-1] < trained.losses[0]


def test_the_likelihood_of_the_first_step_is_that_of_the_standardized_rows(bent):
    one = fitted(bent, "flow", np.arange(200), steps=1)  # all 200 rows are one batch
    rows = (bent.matrix[:200] - one.shift) * one.scale
    assert one.losses[0] == pytest.approx((rows**2).mean() / 2 + np.log(2 * np.pi) / 2, abs=1e-3)


def test_another_seed_trains_another_flow_and_the_same_one_the_same(bent):
    one, again, other = (corrected(bent, "flow", steps=20, seed=seed).matrix for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert np.abs(one - other).max() > 0.01


def test_equal_rows_cannot_train_a_flow():
    space = VectorSpace(["a", "b", "c"], np.ones((3, 4), np.float32))
    with pytest.raises(OptionError, match="All rows are equal, so there is nothing for a flow to learn"):
        corrected(space, "flow")
    assert CORRECTIONS["flow"].long
