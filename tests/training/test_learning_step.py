"""One step of skip-gram, against the gradients of torch."""

import numpy as np
import pytest
import torch

from embedviz.core.options import OptionError
from embedviz.training.learning_step import first_vectors, mean_loss

WORDS = tuple(f"w{number}" for number in range(20))


def losses(step):
    """The loss of a step, written with torch, and the leaves that it has gradients for."""
    vector = torch.tensor(step.model.input[step.center], requires_grad=True)
    output = torch.tensor(step.model.output, requires_grad=True)
    scores = output[torch.tensor(step.rows)] @ vector
    if step.sampled:
        signs = torch.tensor([1.0] + [-1.0] * (len(step.rows) - 1), dtype=torch.float64)
        loss = -torch.nn.functional.logsigmoid(signs * scores).sum()
    else:
        loss = torch.nn.functional.cross_entropy(scores[None], torch.tensor([step.target]))
    loss.backward()
    return loss.item(), vector.grad.numpy(), output.grad.numpy()


@pytest.mark.parametrize("noise", [None, ("w5", "w9", "w5", "w2")], ids=["softmax", "negative sampling"])
def test_loss_and_gradients_are_those_of_autograd(noise):
    step = first_vectors(WORDS, 6, seed=3).step("w1", "w7", noise)
    loss, vector, output = losses(step)
    assert step.loss == pytest.approx(loss)
    np.testing.assert_allclose(step.input_gradient, vector, atol=1e-12)
    summed = np.zeros_like(output)
    np.add.at(summed, step.rows, step.output_gradient)
    np.testing.assert_allclose(summed, output, atol=1e-12)
    after = step.applied(0.1)
    np.testing.assert_allclose(after.output, step.model.output - 0.1 * output, atol=1e-12)
    np.testing.assert_allclose(after.input[1], step.model.input[1] - 0.1 * vector, atol=1e-12)


def test_the_sum_over_all_words_is_needed():
    """Without the term of the target itself the gradient is wrong by ŷ_o u_o."""
    step = first_vectors(WORDS, 6, seed=3).step("w1", "w7")
    others = np.arange(20) != step.target
    short = step.predicted[others] @ step.model.output[others] - step.model.output[step.target]
    missing = step.predicted[step.target] * step.model.output[step.target]
    np.testing.assert_allclose(step.input_gradient - short, missing, atol=1e-12)
    assert np.linalg.norm(missing) > 1e-3


def test_steps_lower_the_loss_from_its_baseline():
    model = first_vectors(WORDS, 8, seed=0, scale=0.01)
    pairs = [(WORDS[place], WORDS[(place + 1) % 20]) for place in range(20)]
    step = model.step(*pairs[0])
    assert step.loss == pytest.approx(step.baseline, abs=0.01) == pytest.approx(np.log(20), abs=0.01)
    assert mean_loss(model, pairs) == pytest.approx(np.log(20), abs=0.01)
    for _ in range(60):
        for pair in pairs:
            model = model.step(*pair).applied(0.5)
    assert mean_loss(model, pairs) < 0.5 * np.log(20)


def test_a_noise_word_that_is_the_target_is_skipped():
    step = first_vectors(WORDS, 4).step("w1", "w7", ("w7", "w3"))
    assert step.rows.tolist() == [7, 3]
    assert step.baseline == pytest.approx(2 * np.log(2))


def test_unknown_and_double_words_are_refused():
    with pytest.raises(OptionError, match="not in this model"):
        first_vectors(WORDS, 4).step("w1", "w99")
    with pytest.raises(OptionError, match="different words"):
        first_vectors(["a", "a"], 4)
