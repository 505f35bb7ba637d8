"""Workbench lessons: each opens, its formula has the library's numbers, and its question is checked against them."""

from embedviz.training.stepwise import stepwise
from tests.pages.test_learn_page import PAGE, answered
from tests.visit import opened


def formulas(test):
    assert not test.exception
    assert not [error.value for error in test.error]
    return " ".join(one.value for one in test.latex)


def test_a_step_shows_its_loss_and_the_sum_of_the_errors():
    test = opened(PAGE, lesson="step", step="20")
    step = stepwise(20).next
    assert f"= {step.loss:.2f}" in formulas(test)
    assert f"{step.input_gradient[0]:.2f}" in formulas(test)
    left = float(step.predicted.sum() - step.predicted[step.target])
    assert "Not yet." in answered(test, f"{left - 0.1:.3f}")
    assert "Right." in answered(test, f"{left:.3f}")
    next(button for button in test.button if button.label == "Undo").click()
    test.run()
    assert f"= {stepwise(19).next.loss:.2f}" in formulas(test)
    sampled = stepwise(3, negative=True).next
    assert f"= {sampled.loss:.2f}" in formulas(opened(PAGE, lesson="step", step="3", loss="negative"))
