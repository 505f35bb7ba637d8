"""Twenty words that learn step by step: each step is one of gradient descent, and the groups come together."""

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.training.stepwise import LINES, WORDS, all_pairs, stepwise


def test_each_step_follows_the_gradient_of_autograd():
    import torch

    found = stepwise(30, 0.5)
    for before, after, (center, context) in list(
        zip(found.models[:-1], found.models[1:], found.pairs[:-1], strict=True)
    )[::7]:
        v, u = (torch.tensor(each, requires_grad=True) for each in (before.input, before.output))
        torch.nn.functional.cross_entropy(u @ v[WORDS.index(center)], torch.tensor(WORDS.index(context))).backward()
        assert after.input == pytest.approx((v - 0.5 * v.grad).detach().numpy(), abs=1e-9)
        assert after.output == pytest.approx((u - 0.5 * u.grad).detach().numpy(), abs=1e-9)


@pytest.mark.parametrize("negative", [False, True])
def test_words_of_a_line_come_together(negative):
    found = stepwise(800, 0.5, negative=negative)
    first, now = found.losses
    assert np.log(4) < now < first - (0.2 if negative else 0.5)  # which negative sampling does not minimise
    units = found.models[-1].input / np.linalg.norm(found.models[-1].input, axis=1, keepdims=True)
    cosines = units @ units.T
    same = np.repeat(np.arange(len(LINES)), 5)[:, None] == np.repeat(np.arange(len(LINES)), 5)
    assert cosines[same].mean() > cosines[~same].mean() + 0.3


def test_the_pairs_and_the_beginning_do_not_depend_on_the_number_of_steps():
    assert sorted(stepwise(79).pairs) == sorted(all_pairs())
    assert stepwise(40).pairs[:11] == stepwise(10).pairs
    assert np.array_equal(stepwise(40, negative=True).models[10].output, stepwise(10, negative=True).models[10].output)
    cut, short = stepwise(40, negative=True).until(10), stepwise(10, negative=True)
    assert (cut.pairs, cut.noise, cut.next.loss, cut.meaning) == (
        short.pairs,
        short.noise,
        short.next.loss,
        short.meaning,
    )
    with pytest.raises(OptionError, match="has 10"):
        short.until(11)
    with pytest.raises(OptionError, match="steps"):
        stepwise(-1)
