"""Learn in a browser: vectors that follow the hand, an answer that is checked, progress that stays."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def cosine(page):
    return page.locator(".readings li").nth(1).inner_text()


def test_a_dragged_vector_rewrites_the_formulas_and_the_address_keeps_it(visitor):
    page = visitor.go("learn?lesson=near&word=hot&second=cold")
    tip = page.locator('[data-name="b"]')
    expect(tip).to_be_visible()
    before, box = cosine(page), tip.locator(".grip").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 160, box["y"] + 40, steps=4)
    held = cosine(page)  # the browser alone: Python hears of it when the tip is let go
    assert held != before
    assert "b" not in visitor.query()
    page.mouse.up()
    visitor.says(lambda query: "b" in query)
    expect(page.get_by_text("You moved an arrow")).to_be_visible()
    tip.focus()
    page.keyboard.press("ArrowRight")
    assert cosine(page) != held
    page.get_by_role("button", name="Put back").click()
    visitor.says(lambda query: "b" not in query)
    assert cosine(page) == before


def test_a_lesson_follows_a_slider_in_the_hand_and_the_address_takes_its_place_when_it_is_let_go(visitor):
    page = visitor.go("learn?lesson=company&place=2")
    slider, formula = page.get_by_role("slider", name="Word"), page.get_by_text("Skip-gram predicts")
    expect(formula).to_contain_text("king")
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 1.5 / 12, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, y, steps=6)
    expect(formula).to_contain_text("book")
    assert visitor.query()["place"] == ["2"]
    page.mouse.up()
    visitor.says(lambda query: query["place"] == ["13"])
    slider.press("ArrowLeft")
    expect(formula).to_contain_text("“a”")
    visitor.says(lambda query: query["place"] == ["12"])
    page.get_by_role("button", name=re.compile("^.*Next: Two matrices")).click()
    expect(page.locator("h1")).to_contain_text("What is the second matrix for?")
    visitor.says(lambda query: "place" not in query)


def test_back_opens_the_lesson_as_it_was_left_and_the_browser_goes_one_step(visitor):
    page = visitor.go("learn?lesson=what")
    page.get_by_role("slider", name="Place in the row").press("ArrowRight")
    visitor.says(lambda query: query.get("number") == ["1"])
    page.get_by_role("button", name=re.compile("^.*Next: Near and far")).click()
    visitor.says(lambda query: query == {"lesson": ["near"]})
    page.get_by_role("button", name=re.compile("^.*Back: What is an embedding")).click()
    visitor.says(lambda query: query == {"lesson": ["what"], "number": ["1"]})
    expect(page.get_by_role("slider", name="Place in the row")).to_have_value("1")
    page.go_back()
    visitor.says(lambda query: query == {"lesson": ["near"]})
    expect(page.locator("h1")).to_contain_text("When are two words near")


def test_a_right_answer_is_kept_by_the_browser_and_the_lecture_view_hides_answers(visitor):
    page = visitor.go("learn?lesson=what&word=guitar")
    page.get_by_label("Your answer").fill("57")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    page.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('\"what\"'))")
    page = visitor.go("learn?lesson=what&word=guitar")
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    expect(page.get_by_label("Your answer")).to_have_value("57")
    page = visitor.go("learn")
    expect(page.locator(".st-key-lesson-card-what")).to_contain_text("done")
    expect(page.get_by_role("button", name=re.compile("^.*Continue: Near and far"))).to_be_visible()
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    page.set_viewport_size({"width": 1280, "height": 720})
    low = page.locator(".st-key-open-rotary button").first
    low.scroll_into_view_if_needed()
    assert page.evaluate(scrolled) > 300
    low.click()
    expect(page.get_by_text("What it does not mean")).to_be_attached(timeout=30_000)
    visitor.settle()
    page.wait_for_timeout(1_000)  # what is drawn late moves the page too
    assert page.evaluate(scrolled) == 0  # a lesson opens at its top
    page = visitor.go("learn?lesson=near&present=1")
    expect(page.get_by_text("between their tips would have")).to_be_visible()
    expect(page.locator('[data-name="a"]')).to_be_visible()
    expect(page.get_by_text("The answer is")).to_have_count(0)
    fits = "() => document.querySelector('.st-key-lesson').getBoundingClientRect().bottom <= innerHeight"
    page.wait_for_function(fits)  # figure, formulas and text in a window of 720 pixels
    assert page.evaluate("document.querySelector('.st-key-lesson').currentCSSZoom") > 1
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_text("The answer is")).to_be_visible()
    page.wait_for_function(fits)


def test_a_sheet_is_printed_by_its_button_and_the_glossary_has_links_to_its_groups(visitor):
    page = visitor.go("teach?sheet=near")
    page.evaluate("window.print = () => (window.printed = true)")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    page = visitor.go("glossary")
    heading = page.get_by_role("heading", name="Statistics")
    expect(heading).not_to_be_in_viewport()
    page.get_by_role("link", name="Statistics").click()
    expect(heading).to_be_in_viewport()


def test_figure_and_formula_follow_a_slider_while_the_server_is_silent(visitor):
    held, late = [], []

    def between(socket):
        server = socket.connect_to_server()
        server.on_message(lambda message: late.append((socket, message)) if held else socket.send(message))

    visitor.page.route_web_socket(re.compile("_stcore/stream"), between)
    page = visitor.go("learn?lesson=mixture&weight=40")
    formula, bars = page.locator(".st-key-lesson .katex-display").nth(1), page.locator(".st-key-mixture-counts .bars")
    expect(formula).to_contain_text("0.40")
    expect(bars).to_be_visible()
    before = bars.inner_html()
    held.append(True)
    slider = page.get_by_role("slider", name="Share of")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect(formula).to_contain_text("0.42")
    page.wait_for_function(
        "old => document.querySelector('.st-key-mixture-counts .bars').innerHTML !== old", arg=before
    )
    assert visitor.query()["weight"] == ["40"]
    held.clear()
    for socket, message in late:
        socket.send(message)
    visitor.says(lambda query: query["weight"] == ["42"])
    expect(formula).to_contain_text("0.42")


DRAWN = """() => [...document.querySelectorAll('.st-key-lesson .js-plotly-plot .cartesianlayer :is(path, text)')]
  .map((one) => [one.getAttribute('d'), one.getAttribute('transform'), one.textContent])"""


def test_quick_presses_are_all_kept_and_end_in_the_figure_that_their_address_opens(visitor):
    page = visitor.go("learn?lesson=step&step=20")
    chart = page.locator(".st-key-lesson .js-plotly-plot .main-svg").first
    expect(chart).to_be_visible(timeout=60_000)
    for name in ("Step", "Step", "Step", "Undo"):
        page.get_by_role("button", name=name, exact=True).press("Enter")
    visitor.says(lambda query: query["step"] == ["22"])
    visitor.settle()
    moved = page.evaluate(DRAWN)
    page.reload()
    expect(chart).to_be_visible(timeout=60_000)
    page.wait_for_function(f"moved => JSON.stringify(({DRAWN})()) === JSON.stringify(moved)", arg=moved)


def test_quick_moves_of_two_sliders_are_all_kept_where_a_busy_server_hears_of_them_together(visitor):
    """What waits for a server is joined to one message, in which the sliders stand in any order."""
    page, waiting = visitor.page, []

    def between(socket):
        server = socket.connect_to_server()
        socket.on_message(lambda message: waiting[0].append((server, message)) if waiting else server.send(message))

    page.route_web_socket(re.compile("_stcore/stream"), between)
    visitor.go("learn?lesson=rotary&m=3&n=5&pair=1")
    sliders = [page.get_by_role("slider", name=name) for name in ("Position n", "Pair of")]
    expect(sliders[1]).to_be_visible()
    waiting.append([])
    for _ in range(3):
        before = len(waiting[0])
        for slider in sliders * 2:
            slider.press("ArrowRight")
        visitor.until(lambda heard=before: len(waiting[0]) > heard)
        page.wait_for_timeout(500)  # both rest: a message for each, or one for both
    for server, message in waiting.pop():
        server.send(message)
    visitor.says(lambda query: (query["n"], query["pair"]) == (["11"], ["7"]))
    visitor.settle()
    assert [slider.input_value() for slider in sliders] == ["11", "6"]
    expect(page.locator('[data-name="k"]')).to_contain_text("n = 11")
