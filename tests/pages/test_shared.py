"""What the pages share, as far as it needs no browser: uploads, the address, controls, the badge, the cache."""

import functools
import io
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from embedviz import catalog
from embedviz.core import limits
from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.space import SpaceError
from embedviz.corpus.tokenized import write_corpus
from embedviz.projection import project
from embedviz.projection.quality import check
from pages._shared.app import restoring, word_lists
from pages._shared.map import badge, questions, reading, reasons
from pages._shared.results import cache, calls
from pages._shared.results.memory import RESULTS, Memory, weight
from pages._shared.sources import rooms, uploads
from tests.visit import went_back

MAPS = Path("/proc/self/maps")


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    # outside a session nobody leaves by themselves
    monkeypatch.setattr(rooms, "visit", lambda token, **_: uploads.arrive(token))
    uploads.sweep(grace=-1)  # who left in other tests
    return tmp_path / "uploads"


def receive(content=b"x", name="mine"):
    return uploads.receive(io.BytesIO(content), name, len(content))


def test_an_upload_goes_a_while_after_its_last_visitor(own_folders):
    token = receive()
    uploads.arrive(token)
    uploads.leave(token)
    assert uploads.sweep(grace=0) == []
    uploads.leave(token)
    assert uploads.sweep() == []
    uploads.arrive(token)
    assert uploads.sweep(grace=0) == []
    uploads.leave(token)
    assert uploads.sweep(grace=-1) == [token]
    assert not (own_folders / token).exists()


def test_one_uploads_end_spares_the_others(own_folders):
    gone, stays = receive(), receive()
    uploads.leave(gone)
    assert uploads.sweep(grace=-1) == [gone]
    assert uploads.file_of(stays) is not None


def test_the_file_is_known_by_its_token_until_it_was_read():
    token = receive(b"content", "a name")
    path, name = uploads.file_of(token)
    assert (path.read_bytes(), name) == (b"content", "a name")
    assert uploads.file_of(f"{token}/../{token}") is None
    uploads.drop_file(token)
    assert uploads.file_of(token) is None
    assert uploads.file_of("aaaaaaaaaaaaaaaaaaaaaa") is None


def test_there_is_an_end_to_all_uploads_together(monkeypatch):
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 100)
    receive(b"x" * 60)
    with pytest.raises(SpaceError, match="no room"):
        receive(b"x" * 60)


def test_an_upload_without_visitors_makes_room_for_the_next(own_folders, monkeypatch):
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 100)
    first, second = receive(b"x" * 40), receive(b"x" * 40)
    uploads.leave(second)
    assert receive(b"x" * 40)
    assert (own_folders / first).exists()
    assert not (own_folders / second).exists()


def test_nothing_is_deleted_for_what_can_never_fit(own_folders, monkeypatch):
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 100)
    uploads.leave(left := receive(b"x" * 40))
    with pytest.raises(SpaceError, match="no room"):
        uploads.make_room(101)
    assert (own_folders / left).exists()


def test_what_is_made_of_a_file_of_this_computer_needs_the_disk_alone(own_folders, monkeypatch):
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 100)
    uploads.make_own_room(1_000, token := "0123456789abcdefghij")
    (own_folders / token / "corpus").write_bytes(b"x" * 1_000)
    assert receive(b"x" * 60)  # what the owner made takes no visitor's place
    monkeypatch.setattr(rooms.shutil, "disk_usage", lambda _: SimpleNamespace(free=2**28 + 5 * 2**20))
    with pytest.raises(SpaceError, match=r"3\.0 GB are needed, 5 MB are free\."):
        uploads.make_own_room(3 * 2**30, token)


@pytest.mark.skipif(not MAPS.exists(), reason="no list of mapped files on this system")
def test_a_swept_space_is_no_longer_mapped(space, own_folders):
    token = receive()
    space.save(own_folders / token / "space")
    address = f"upload:{token}"
    cache.space(cache.key_of(address))
    assert token in MAPS.read_text()
    uploads.leave(token)
    uploads.sweep(grace=-1)
    assert token not in MAPS.read_text()


@pytest.mark.skipif(not MAPS.exists(), reason="no list of mapped files on this system")
def test_a_swept_corpus_is_no_longer_mapped(own_folders):
    folder = str(own_folders / (token := receive()) / "corpus")
    write_corpus([["a", "b"]], folder, name="n")
    cache.corpus(folder)
    assert token in MAPS.read_text()
    uploads.leave(token)
    uploads.sweep(grace=-1)
    assert token not in MAPS.read_text()


def test_a_corpus_that_is_made_anew_under_its_name_is_opened_anew(tmp_path):
    folder = tmp_path / "corpus"
    write_corpus([["a", "b"]], folder, name="n")
    assert cache.corpus(str(folder)) is cache.corpus(str(folder))
    shutil.rmtree(folder)
    write_corpus([["c", "d"]], folder, name="n")
    assert list(cache.corpus(str(folder)).words) == ["c", "d"]


def test_a_corrected_space_is_a_folder_where_a_server_runs(own_folders):
    opened = catalog.open_space("builtin~center")
    assert opened.folder.parent == (own_folders / "corrected").resolve()
    assert catalog.open_space("builtin~center").folder == opened.folder


def test_corrected_spaces_have_an_end(own_folders, space):
    for number in range(9):
        catalog.open_space(f"{catalog.save(space, f's{number}')}~center")
    assert len(list((own_folders / "corrected").iterdir())) == 6


def test_equal_maps_are_one_map(builtin):
    plain = questions.drawn(questions.sample(catalog.Recipe(), "frequent"), "pca")
    turned = {"x": 1, "y": "2", "rows_as": "stored"}
    spelled = questions.drawn(questions.sample(catalog.Recipe(), "frequent", {"n": 2000}), "pca", turned)
    assert plain == spelled
    assert calls.result(plain) is calls.result(spelled)


def test_the_badge_line_says_permissions_number_and_copies(builtin, own_folders):
    checked = check(builtin, np.arange(300), "tsne", {"iterations": 250}, copies=6)
    line = badge.line(checked)
    neighbors = checked.permissions.neighbors
    assert line.startswith(
        "● You can trust: broad groups (they overlap), about half of the neighbors · ○\u00a0not: long distances · "
    )
    assert line.endswith(
        f"{share(neighbors.value)} of the 15 nearest are true (map of random data: {share(neighbors.copies)})"
    )
    said = reasons.judged("neighbors", neighbors)
    assert "About half of the points drawn near another one are true neighbors. The map keeps" in said
    assert "most are not its nearest in the space" in reasons.reasons(checked)
    assert badge.line(None) == "not checked yet"
    kept = badge.lines(checked, "tsne")["reading"]
    assert kept.startswith(
        "You can trust: which points are likely neighbors, which points form a group (they overlap)."
    )


def test_a_map_of_few_points_is_not_judged_and_says_so(builtin, own_folders):
    checked = check(builtin, np.arange(12), "pca", copies=3)
    assert badge.line(checked).startswith("○ ○ ○ Too few points to judge · ")


def test_a_map_that_keeps_what_noise_keeps_says_so_and_claims_nothing(builtin, own_folders):
    checked = check(builtin, np.arange(300), "random", copies=3)
    assert badge.line(checked).startswith("○ ○ ○ No more than a random cloud · ")
    assert badge.lines(checked, "random")["reading"].startswith("You can trust: single labels only. Not: ")
    assert reading.answer(checked, "random").startswith("Of a word’s 15 nearest on the map, ")
    assert reading.answer(checked, "pca").startswith("Positions along the axes are exact. Of a word’s 15 nearest")
    text = badge.meaning("The rest.", checked, "random")
    assert f"{share(checked.quality.neighbor_preservation)} of a point’s 15 nearest neighbors" in text
    assert text.endswith("The rest.")
    assert badge.meaning("The rest.", None, "tsne") == "The rest."
    assert reading.allowed(checked, "pca") == "the position of a point along each axis, which is exact"


def test_a_map_of_too_few_points_is_not_judged_rather_than_called_a_random_cloud(builtin, own_folders):
    few, enough = (check(builtin, np.arange(n), "pca", copies=3) for n in (19, 20))
    assert (few.judged, enough.judged) == (False, True)
    assert badge.line(few).startswith("○ ○ ○ Too few points to judge · ")
    assert "Too few points" not in badge.line(enough)
    why = "19 points are too few to judge; 20 are needed."
    assert badge.lines(few, "pca")["reading"] == reading.permitted(few, "pca") == why
    found = reasons.reasons(few)
    assert f"<b>Not judged.</b> {why}" in found
    assert "does not show" not in found


def test_the_picture_of_the_curve_marks_each_permission(builtin, own_folders):
    from embedviz.figures.quality import curve_figure, noise_figure
    from embedviz.figures.theme import THEMES

    checked = check(builtin, np.arange(120), "pca", copies=3)
    figure = curve_figure(checked, THEMES["light"])
    text = [note.text for note in figure.layout.annotations]
    assert "neighbors, k = 15" in text
    assert "<b>this map</b>" in text
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.customdata is not None]
    assert list(lines[0].y) == [checked.at(point.k)[0] for point in checked.points]  # as the table below says
    n, k = checked.quality.shown, checked.points[3].k
    assert checked.shares[3].value == pytest.approx(checked.quality.joint[k - 1])
    random = next(trace for trace in figure.data if trace.mode == "lines")
    assert list(random.y) == [point.k / (n - 1) for point in checked.points]
    (dot,) = [trace for trace in figure.data if trace.xaxis == "x2"]
    assert list(dot.y) == [checked.permissions.long_distances.value]
    pair = noise_figure(project(builtin, range(120)).points, checked.copies.points, THEMES["dark"])
    assert [len(trace.x) for trace in pair.data] == [120, 120]


def query(test):
    """The address of a test; AppTest gives a list of one where nothing was written."""
    pairs = dict(test.query_params)
    return {name: value[0] if isinstance(value, list) else value for name, value in pairs.items()}


def controls_script():
    import streamlit as st

    from embedviz import catalog
    from embedviz.core.options import Choice, Method, Parameter, Words
    from pages._shared.app import address
    from pages._shared.controls import widgets

    address.begin("page")
    row = Method(
        "m",
        "M",
        print,
        (
            Parameter("k", 1, 50, 10, "help"),
            Parameter("rate", 0.0, 1.0, 0.5, "help"),
            Choice("part", ("part_of_speech", "b"), "b", "help"),
            Words("word", "", "help", single=True),
        ),
    )
    st.write(repr(widgets.options(row, catalog.open_space("builtin"), "m_", word="king")))


def test_controls_are_built_from_a_row_and_tied_to_the_address():
    test = AppTest.from_function(controls_script, default_timeout=30)
    test.query_params["m_k"] = "7"
    test.run()
    assert not test.exception
    assert test.number_input[0].value == 7
    assert test.selectbox[0].options == ["part_of_speech", "b"]
    assert "'word': 'king'" in test.markdown[0].value
    test.number_input[0].set_value(9).run()
    assert query(test)["m_k"] == "9"
    assert "'k': 9" in test.markdown[0].value
    test.selectbox[0].set_value("part_of_speech").run()
    assert query(test)["m_part"] == "part_of_speech"


def values_script():
    import streamlit as st

    from pages._shared.app import address
    from pages._shared.controls import column_values

    address.begin("page")
    column = ["", "a", "a", "b", ""][: st.session_state.get("rows", 5)]
    required = st.session_state.get("required", False)
    st.write(repr(column_values.choose("Value", column, "value", required=required)))


def test_an_empty_value_of_a_column_is_not_the_choice_of_none():
    test = AppTest.from_function(values_script, default_timeout=30).run()
    assert test.selectbox[0].options == ["none", "a · 2", "b · 1"]
    assert test.markdown[0].value == "''"
    test.session_state["required"], test.session_state["rows"] = True, 4
    test.run()
    assert test.selectbox[0].options == ["a · 2", "empty · 1", "b · 1"]
    assert test.markdown[0].value == "'a'"
    test.selectbox[0].set_value("").run()
    assert test.markdown[0].value == "''"


def address_script():
    import streamlit as st

    from pages._shared.app import address

    address.begin(st.session_state.get("page", "one"))
    st.write(repr({name: address.get(name) for name in address.names()}))
    address.settle()


def test_a_page_finds_again_what_was_chosen_there():
    test = AppTest.from_function(address_script, default_timeout=30)
    test.query_params["space"] = "builtin"
    test.query_params["color"] = "norm"
    test.run()
    test.session_state["page"] = "two"
    test.query_params.clear()
    test.run()
    assert query(test) == {"space": "builtin"}
    assert test.markdown[0].value == "{'space': 'builtin'}"
    test.query_params["word"] = "king"
    test.run()
    test.session_state["page"] = "one"
    test.query_params.clear()
    test.run()
    assert query(test) == {"space": "builtin", "word": "king", "color": "norm"}


def bound_script():
    from types import SimpleNamespace

    import streamlit as st

    from pages._shared.app import address

    address.begin(st.session_state.get("page", "one"))
    for name in ("a", "b", "c"):
        st.selectbox(name, ["0", "1", "2"], **address.bind(name, address.get(name, "0")))
    if st.session_state.get("goes"):
        st.session_state["goes"] = False
        address.go(SimpleNamespace(url_path="one"), {})
    address.settle()


def sent(test, box=None, value="1", **address):
    """The test after a message with this address, in which a box may have changed: its address and its boxes."""
    test.query_params.clear()
    test.query_params.update(address)
    (test if box is None else test.selectbox[box].set_value(value)).run()
    assert not test.exception
    return query(test), [each.value for each in test.selectbox]


def test_a_change_that_comes_with_an_older_address_is_added_to_the_newest():
    test = AppTest.from_function(bound_script, default_timeout=30).run()
    assert sent(test, 0) == ({"a": "1"}, ["1", "0", "0"])
    assert sent(test, 1) == ({"a": "1", "b": "1"}, ["1", "1", "0"])
    assert sent(test, 2, a="1") == ({"a": "1", "b": "1", "c": "1"}, ["1", "1", "1"])
    assert sent(test, 0, "2", a="1", b="1") == ({"a": "2", "b": "1", "c": "1"}, ["2", "1", "1"])


def test_a_link_of_the_program_to_an_older_address_of_the_page_is_followed(monkeypatch):
    import streamlit as st

    def switch_page(page, query_params):
        st.query_params.from_dict(query_params)
        st.rerun()

    monkeypatch.setattr(st, "switch_page", switch_page)
    test = AppTest.from_function(bound_script, default_timeout=30).run()
    sent(test, 0)
    test.session_state["goes"] = True
    assert sent(test, 1) == ({}, ["0", "0", "0"])


def test_an_address_that_the_browser_went_to_or_that_is_new_counts_as_it_is():
    test = AppTest.from_function(bound_script, default_timeout=30).run()
    sent(test, 0)
    with went_back():
        assert sent(test) == ({}, ["0", "0", "0"])
        assert sent(test, a="1") == ({"a": "1"}, ["1", "0", "0"]), "Forward"
    assert sent(test, 1, a="1") == ({"a": "1", "b": "1"}, ["1", "1", "0"])
    assert sent(test, c="2") == ({"c": "2"}, ["0", "0", "2"]), "an address that this session never wrote"
    sent(test, 0, c="2")
    test.session_state["page"] = "two"
    assert sent(test, c="2") == ({"c": "2"}, ["0", "0", "2"]), "another page"


def test_on_the_same_page_the_address_alone_counts():
    test = AppTest.from_function(address_script, default_timeout=30)
    test.query_params["word"] = "king"
    test.run()
    test.query_params.clear()
    test.run()
    assert query(test) == {}


def switched_back(*, settled=True):
    """A test on page one that was left with a word and is entered again by its bare address."""

    def script():
        import streamlit as st

        from pages._shared.app import address

        address.begin(st.session_state.get("page", "one"))
        st.write(repr({name: address.get(name) for name in address.names()}))
        if st.session_state.get("cleared"):
            address.put(word=None)
        if st.session_state.get("settles", True):
            address.settle()

    test = AppTest.from_function(script, default_timeout=30)
    test.query_params["word"] = "king"
    test.run()
    for page in ("two", "one"):
        test.session_state["page"] = page
        test.session_state["settles"] = settled
        test.query_params.clear()
        test.run()
    return test


def test_a_run_that_was_cut_short_keeps_what_was_restored():
    test = switched_back(settled=False)
    assert query(test) == {}
    test.session_state["settles"] = True
    test.run()
    assert test.markdown[0].value == "{'word': 'king'}"
    assert query(test) == {"word": "king"}


def test_going_back_to_the_bare_address_shows_the_view_and_writes_nothing(monkeypatch):
    test = switched_back()
    assert query(test) == {"word": "king"}
    monkeypatch.setattr(restoring, "_ARRIVES", 0.0)
    test.query_params.clear()
    with went_back():
        test.run()
    assert test.markdown[0].value == "{'word': 'king'}"
    assert query(test) == {}, "writing it again would trap whoever goes back"


def test_an_address_that_was_emptied_on_purpose_is_empty():
    test = switched_back()
    test.session_state["cleared"] = True
    test.run()
    assert query(test) == {}
    test.session_state["cleared"] = False
    test.run()
    assert test.markdown[0].value == "{}"


def switching_script():
    import streamlit as st

    from pages._shared.app import address

    address.begin(st.session_state.get("page", "one"))
    st.write(repr({name: address.get(name) for name in address.names()}))
    if st.session_state.get("goes"):
        address.go("two.py", {"formula": "a + b", "word": "", "also": ["x", "y"]})
    address.settle()


def seen_on(test, page, goes=False, **address):
    """What the page finds in its address, with which the browser asks for it."""
    test.session_state["page"], test.session_state["goes"] = page, goes
    test.query_params.clear()
    for name, value in address.items():
        test.query_params[name] = value
    test.run()
    return eval(test.markdown[0].value)


def test_what_was_restored_before_a_busy_browser_had_the_path_stands_for_the_view_that_was_left():
    test = AppTest.from_function(switching_script, default_timeout=30)
    visible = functools.partial(seen_on, test)
    formula, view = {"formula": "a + b"}, {"run": "r", "corpus": "lee"}
    assert visible("two", **formula) == formula
    assert visible("one", **view) == view
    assert visible("two") == {"corpus": "lee", **formula}, "by the menu"
    written = query(test)
    assert visible("one", **written) == view, "Back"
    assert query(test) == view
    assert visible("one", formula="c") == {"formula": "c"}, "an address that no switch wrote"


def test_an_address_that_a_switch_wrote_over_a_page_stands_for_the_view_that_was_left(monkeypatch):
    """As a browser has it: Back comes to the left page's path with the other page's address."""
    monkeypatch.setattr("streamlit.switch_page", lambda page, query_params: None)

    test = AppTest.from_function(switching_script, default_timeout=30)
    visible = functools.partial(seen_on, test)
    view, written = {"run": "r", "corpus": "lee"}, {"corpus": "lee", "formula": "a + b", "also": ["x", "y"]}
    assert visible("one", goes=True, **view) == view
    assert visible("two", **written) == {**written, "also": "y"}
    assert visible("one", **written) == view, "Back"
    assert query(test) == view
    assert visible("two") == {**written, "also": "y"}
    assert visible("one") == view, "by the menu"


def work_script():
    import streamlit as st

    from embedviz import catalog
    from pages._shared.results import work

    space = catalog.open_space("builtin").take(range(60))
    task = work.run(
        "slot", "embedviz.neighbors:occurrences", space, key=st.session_state.get("key", "a"), k=3, wait=20.0
    )
    st.write(f"{task.running} {task.stopped} {task.result is not None} {task.job.id if task.job else ''}")
    if task.result is None:
        work.show(task, "Working")
    if st.button("stop"):
        work.stop(task)
    if st.button("again"):
        work.again("slot")


def test_a_slot_finds_its_job_again_stops_and_begins_anew():
    test = AppTest.from_function(work_script, default_timeout=60).run()
    first = test.markdown[0].value
    assert first.startswith("False False True")
    assert test.run().markdown[0].value == first
    test.button[0].click().run()
    test.run()
    assert test.markdown[0].value.startswith("False True")
    test.run()
    assert test.markdown[0].value.startswith("False True"), "a stopped job stays stopped"
    [button] = [button for button in test.button if button.label == "again"]
    button.click().run()
    assert test.run().markdown[0].value.startswith("False False True")


def ended_meanwhile_script():
    import streamlit as st

    from embedviz import catalog
    from pages._shared.results import work

    space = catalog.open_space("builtin").take(range(70))
    task = work.run("slot", "embedviz.neighbors:occurrences", space, key="ended meanwhile", k=3, wait=0.0)
    early = task.result is not None
    task.job.wait(20)
    st.write(f"{early} {task.running} {task.result is not None}")
    if not early and not task.running:
        work.show(task, "Working")


def test_a_job_that_ends_while_the_page_runs_is_not_taken_for_one_without_a_result():
    test = AppTest.from_function(ended_meanwhile_script, default_timeout=60).run()
    assert test.markdown[0].value in ("False True False", "True False True")
    assert not [button for button in test.button if button.label == "Compute it"]
    assert test.run().markdown[0].value == "True False True"


def test_another_question_lets_the_old_job_go(monkeypatch):
    from embedviz import jobs

    released = []
    monkeypatch.setattr(jobs.pool(), "release", lambda job, owner: released.append(job.key))
    test = AppTest.from_function(work_script, default_timeout=60)
    test.session_state["key"] = "first question"
    test.run()
    test.session_state["key"] = "second question"
    test.run()
    assert released == ["first question"]


def test_the_registry_is_one_for_all_threads():
    from pages._shared.app.registry import live

    made = []
    threads = [threading.Thread(target=lambda: made.append(live("test of threads", object))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(value) for value in made}) == 1


def test_kept_words_have_one_token_and_an_end():
    lists = word_lists.WordListStore(most=60)
    token = lists.keep(["king", "queen"])
    assert lists.keep(("king", "queen")) == token
    assert lists.get(token) == ("king", "queen")
    assert lists.get("unknown") is None
    long = ("x" * 55,)
    other = lists.keep(long)
    assert lists.get(other) == long
    assert lists.get(token) is None
    with pytest.raises(OptionError, match="words are too many"):
        lists.keep(["x" * 61])
    assert lists.get(other) == long


def test_who_keeps_the_most_makes_room():
    lists = word_lists.WordListStore(most=100)
    small = lists.keep(["king"], "one")
    first, second = (lists.keep([letter * 50], "two") for letter in "ab")
    assert lists.get(small) == ("king",)
    assert lists.get(first) is None
    assert lists.get(second) is not None


def test_results_are_computed_once_weighed_and_forgotten_with_their_space():
    asked = []

    def of(space, number):
        def compute():
            asked.append((space, number))
            if number < 0:
                raise ValueError("negative")
            return np.zeros(number, np.uint8)

        return memory.result(f"{space} {number}", [space], compute)

    memory = Memory(most=10_000)
    with ThreadPoolExecutor(4) as pool:
        assert len({id(each) for each in pool.map(of, ["a"] * 8, [4000] * 8)}) == 1
    assert asked == [("a", 4000)]
    of("b", 5000)
    of("a", 4000)
    of("b", 3000)
    assert memory.get("b 5000") is None
    assert memory.get("a 4000") is not None
    memory.forget("a")
    assert memory.get("a 4000") is None
    assert memory.get("b 3000") is not None
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            of("a", -1)
    assert asked[-2:] == [("a", -1), ("a", -1)]


def test_a_result_weighs_its_numbers_and_no_space(space, tmp_path):
    assert weight((np.zeros(5000), "x")) > 40_000
    assert weight(space) == 0
    np.save(tmp_path / "numbers.npy", np.zeros(5000))
    assert weight(np.load(tmp_path / "numbers.npy", mmap_mode="r")[10:]) == 0


def test_nothing_of_a_deleted_upload_is_remembered(space, own_folders):
    token = receive()
    space.save(own_folders / token / "space")
    recipe = catalog.Recipe("upload", token)
    words = questions.sample(recipe, "frequent")
    what = questions.drawn(words, "pca")
    near = call("embedviz.neighbors:neighborhood", recipe, [space.words[0]], 3)
    assert calls.known(what) is None
    assert calls.result(what) is calls.known(what)
    calls.result(near)
    keys = [calls.key_of(each) for each in (words, what, near)]
    assert all(RESULTS.get(key) is not None for key in keys)
    uploads.delete(token)
    assert all(RESULTS.get(key) is None for key in keys)


def test_details_open_and_escape_what_they_quote():
    def page():
        from pages._shared.app import states

        states.details("", "Cosines of <b>all</b> rows.", "")
        states.details("", "")

    test = AppTest.from_function(page, default_timeout=30).run()
    (visible,) = [element.proto.body for element in test.get("html")]
    assert visible.startswith("<details")
    assert "<summary>Details</summary>" in visible
    assert "&lt;b&gt;all&lt;/b&gt; rows." in visible


def test_the_size_of_uploads_is_counted_while_files_are_deleted(tmp_path):
    (tmp_path / "file").write_bytes(bytes(10))
    (tmp_path / "deleted").symlink_to(tmp_path / "nowhere")  # listed, and gone when its size is read
    assert rooms._bytes_in(tmp_path) == 10
    assert rooms._bytes_in(tmp_path / "gone") == 0


def test_a_folder_that_another_process_deletes_does_not_hinder_the_clean_up(tmp_path):
    folders = [tmp_path / f"{number:024}" for number in range(8)]
    for folder in folders[1:]:
        folder.mkdir()
    folders[0].symlink_to(tmp_path / "nowhere")
    catalog._keep_newest(tmp_path)
    assert sum(folder.exists() for folder in folders) == 6
