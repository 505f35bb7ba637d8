"""Learn: the contents, the pattern of a lesson, and answers that are checked against the state of the figure."""

import math

import numpy as np
import pytest

from embedviz.neighbors.pair import chord, word_pair
from pages._shared.results.tasks import SLOTS
from pages.learn.lessons.table import GROUPS, LESSONS
from pages.learn.pattern.asking import Exercise, number_in
from pages.learn.pattern.guide import GUIDE, guide
from pages.learn.pattern.hand import read
from pages.learn.pattern.latex import digits_apart, digits_that_give, factor, letters, stacked, tex
from pages.learn.pattern.lesson import FIRST_PATH
from pages.learn.pattern.plans import PLANS
from pages.learn.pattern.progress import read as read_progress
from pages.learn.pattern.slider import Move, moves, newest
from tests.contextual.clips import made
from tests.visit import html, opened, run_until, written

PAGE = "learn/page.py"


def answered(test, text):
    test.text_input[0].set_value(text)
    next(button for button in test.button if button.label == "Check").click()
    return html(test.run())


def test_the_contents_list_every_lesson_with_its_question_and_minutes():
    test = opened(PAGE)
    page, labels = html(test), [button.label for button in test.button]
    for number, one in enumerate(LESSONS, 1):
        assert one.title in page or f"**{number} · {one.title}**" in labels
        assert one.question in page
    assert len({one.name for one in LESSONS}) == len(LESSONS)


def test_an_answer_is_checked_against_what_the_figure_shows_now(builtin):
    pair = word_pair(builtin, "hot", "cold")
    test = opened(PAGE, lesson="near", word="hot", second="cold")
    assert "<h1>When are two words near each other?</h1>" in html(test)
    assert "Not yet." in answered(test, "0.1")
    assert "Right." in answered(test, f"{chord(pair.cosine):.2f}")
    test.query_params["a"], test.query_params["b"] = "1,0", "0,2"
    assert "You moved an arrow" in html(test.run())
    assert "Right." not in html(test)
    assert "Right." in answered(test, f"{math.sqrt(2):.2f}")


@pytest.mark.parametrize("name", [one.name for one in LESSONS])
def test_a_lesson_has_all_parts_of_the_pattern(name, request):
    if name == "clip":
        made(request.getfixturevalue("own_folders") / "models" / "encoders" / "tiny-clip")
    page = run_until(opened(PAGE, lesson=name), "What it does not mean", "Your turn")
    chosen = next(one for one in LESSONS if one.name == name)
    assert f"<h1>{chosen.question}</h1>" in page


def test_the_guide_and_the_page_teach_have_a_plan_for_each_lesson_of_the_first_path():
    first = [one for one in LESSONS if one.path == FIRST_PATH]
    assert [plan.lesson for plan in PLANS] == [one.name for one in first]
    titles = {one.name: one.title for one in LESSONS}
    assert GUIDE.read_text("utf-8") == guide(GROUPS), "run python -m pages.learn.pattern.guide"
    page = html(opened("learn/teach.py"))
    for plan in PLANS:
        assert titles[plan.lesson] in page
        assert all(step.text in page for step in plan.steps)
        assert all(part in page for each in plan.ask for part in each)
    assert "My answer to “" in html(opened("learn/teach.py", sheet="near"))


def test_every_step_of_a_plan_opens_a_state_that_the_lesson_accepts():
    for plan in PLANS:
        for step in plan.steps[:1]:
            test = opened(PAGE, **step.query(plan.lesson))
            assert not [error.value for error in test.error]
            assert "These settings do not work." not in html(test)


def test_the_lecture_view_has_the_options_and_hides_the_answer_until_its_button_is_pressed():
    test = opened(PAGE, lesson="arithmetic", formula="king - man + woman", present="1")
    assert "king · man · queen · woman" in html(test)
    assert not test.radio
    assert "The nearest of all words is" not in html(test)
    next(button for button in test.button if button.label == "Show the answer").click()
    assert "The nearest of all words is" in html(test.run())


def test_back_opens_a_lesson_as_it_was_left_and_each_lesson_has_its_own_state():
    test = opened(PAGE, lesson="what", word="piano", number="7", present="1")

    def press(label):
        next(button for button in test.button if button.label.startswith(label)).click()
        test.run()
        return {name: "".join(values) for name, values in test.query_params.items()}

    assert press("Next: Near and far") == {"lesson": "near", "present": "1"}
    test.query_params["word"], test.query_params["second"] = "hot", "cold"
    del test.query_params["present"]
    test.run()
    assert press("Back: What is an embedding?") == {"lesson": "what", "word": "piano", "number": "7"}
    assert "“piano” is row" in written(test, "meaning")
    assert press("Next: Near and far") == {"lesson": "near", "word": "hot", "second": "cold"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("0,61", 0.61), ("−0.5", -0.5), ("61 %", 0.61), ("21,719", 21719), ("1e400", None), ("one", None), ("", None)],
)
def test_a_number_is_read_as_people_type_it(text, value):
    assert number_in(text) == value


def test_an_answer_in_percent_or_degrees_may_have_its_sign_and_a_large_one_has_commas():
    percent = Exercise("How much, in percent?", 23.4, "", "", tolerance=0.6, percent=True)
    assert all(percent.right(given) for given in ("23", "23 %", "23,4%", "23.4\u00a0%"))
    assert not percent.right("0.234")
    assert Exercise("Which share?", 0.234, "", "", tolerance=0.006).right("23.4 %")
    assert Exercise("How many degrees?", 60.0, "", "").right("60°")
    assert Exercise("How many?", 384e6, "", "", tolerance=1e6).answer_text == "384,000,000"


def test_numbers_words_and_options_are_checked():
    assert Exercise("?", 0.5, "", "", tolerance=0.02).right("0.515")
    assert not Exercise("?", 0.5, "", "", tolerance=0.02).right("0.53")
    assert Exercise("?", "queen", "", "", also=("monarch",)).right(" Queen ")
    assert Exercise("?", 2.0, "", "").right("two") is None
    assert Exercise("?", 1234.5, "", "").right("1.234,5")
    assert Exercise("?", 1234.5, "", "").right("1,234.5")
    assert Exercise("?", 2.0, "", "").answer_text == "2"
    for answer, off in ((0.125, 0.004), (0.0049, 0.0015), (-1 / 3, 0.0), (56.56, 0.5)):
        assert Exercise("?", answer, "", "", tolerance=off or 1e-6).right(
            Exercise("?", answer, "", "", tolerance=off).answer_text
        )
    assert Exercise("?", 0.125, "", "", tolerance=0.004).answer_text == "0.125"


def test_what_a_browser_sends_is_read_with_care():
    assert read({"a": [1, 2.5], "b": ["x", 1], "c": [0, 0], "d": [1e9, 0]}, ["a", "b", "d"]) == {"a": "1,2.5"}
    assert read({"a": [10**400, 0], "b": [0, 1]}, ["a", "b"]) == {"b": "0,1"}
    assert read("x", ["a"]) == {}
    given = {"near-12": "0.25", "<b>": "1", "what-3": 4, "trust-5": ""}
    report = {"names": ["near", "<b>", ["near"], {}], "answers": given, "cleared": 0}
    assert read_progress(report, {"near"}) == ({"near"}, {"near-12": "0.25"})
    assert read_progress(report, {"near"}, cleared=1) == (set(), {})


def test_a_formula_has_parentheses_after_a_sign_alone_and_its_parts_stand_below_each_other_on_a_phone():
    assert (tex(-0.031), factor(-0.031), factor(0.5), tex(-0.001)) == ("-0.03", "(-0.03)", "0.50", "0.00")
    assert stacked(r"a = 1,\quad b = 2") == r"\begin{gathered} a = 1 \\ b = 2 \end{gathered}"
    assert stacked("a = 1") == "a = 1"
    assert letters(r"x}$\y") == "x???y"
    assert (letters("[SEP]"), letters("##er")) == ("[SEP]", r"\#\#er")
    assert [digits_apart(*pair) for pair in ((0.5, 0.4), (0.501, 0.502), (0.50001, 0.50002), (1, 1))] == [2, 3, 5, 5]


def test_written_numbers_have_so_many_decimals_that_they_give_the_written_result():
    assert digits_that_give((0.5, 0.25), lambda one, other: one - other) == 2
    assert digits_that_give((-0.0054, 0.0074), lambda one, other: one - other, 3) == 4  # −0.005 − 0.007 is not −0.013
    random = np.random.default_rng(0)
    for values in random.normal(size=(200, 3)).tolist():
        digits = digits_that_give(values, lambda a, b, c: a * b + c)
        a, b, c = (float(tex(each, digits)) for each in values)
        assert tex(a * b + c) == tex(values[0] * values[1] + values[2])


@pytest.mark.usefixtures("next_lesson")
@pytest.mark.parametrize(("lesson", "slot"), [("arithmetic", "learn-film"), ("learning", "learn-senses")])
def test_the_long_work_of_a_lesson_begins_while_the_one_before_it_is_read(lesson, slot):
    assert slot in opened(PAGE, lesson=lesson).session_state[SLOTS]


def test_a_message_of_a_slider_brings_the_unanswered_moves_of_all_and_nothing_unknown():
    every = {"token": ["0", "1", "2"], "head": ["1", "2"]}
    assert moves({"place": 1, "number": 7, "held": True}, "token", every) == {"token": Move(1, 7, held=True)}
    joined = {"place": 0, "number": 7, "others": {"token": [2, 6], "space": [0, 5]}}
    assert moves(joined, "head", every) == {"head": Move(0, 7), "token": Move(2, 6)}
    for place in (3, True, "1", None):
        assert moves({"place": place, "number": 7, "held": True}, "token", every) == {"token": Move(-1, 7)}
    odd = [{"place": 0}, {"place": 0, "number": True}, [0], None, {"others": [1]}, {"others": {"head": 1, "token": []}}]
    assert [moves(each, "token", every) for each in odd] == [{}] * len(odd)


def test_an_older_move_does_not_replace_a_newer_one_in_whatever_order_the_messages_come():
    answered = {"token": 6}
    assert newest({"token": Move(1, 5), "head": Move(0, 4)}, answered) == {"head": Move(0, 4)}
    assert newest({"token": Move(2, 6)}, answered) == {"token": Move(2, 6)}
