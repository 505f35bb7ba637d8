"""The glossary: short, unique, and found in running text."""

import pytest

from embedviz.core.glossary import TOPICS, by_topic, glossary, terms_in


def test_an_explanation_is_two_lines_at_most():
    for term in glossary().values():
        assert 20 < len(term.text) <= 170, term.name
        assert term.text.endswith("."), term.name


def test_no_form_belongs_to_two_terms():
    forms = [form.lower() for term in glossary().values() for form in (term.name, *term.forms)]
    assert len(forms) == len(set(forms))


def test_every_term_stands_once_in_its_group_and_a_part_of_a_word_finds_it():
    groups = by_topic()
    assert [*groups] == ["Begin with these", *TOPICS.values()]
    assert sorted(term.name for terms in groups.values() for term in terms) == sorted(glossary())
    assert [term.name for term in groups["Begin with these"]][:2] == ["vector", "dimension"]
    assert [term.name for terms in by_topic(" structureless").values() for term in terms] == ["structureless copies"]
    assert by_topic("no such term") == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The cosine of two cosines.", ["cosine similarity"]),
        ("TF-IDF, not c-TF-IDF: a weight.", ["TF-IDF", "c-TF-IDF"]),
        ("Nearest neighbors by PCA and t-SNE.", ["nearest neighbors", "PCA", "t-SNE"]),
        ("Hubs are no hubcaps.", ["hub"]),
        ("A vector of a space by softmax.", ["softmax"]),
        ("", []),
    ],
)
def test_the_first_use_of_each_term_is_found(text, names):
    found = terms_in(text)
    assert [term.name for _, _, term in found] == names
    for start, end, term in found:
        assert text[start:end].lower() in {form.lower() for form in (term.name, *term.forms)}


def test_a_common_word_is_no_term_that_is_written_with_capitals():
    assert [term.name for _, _, term in terms_in("A glove is no hand.")] == []
    assert [term.name for _, _, term in terms_in("GloVe counts.")] == ["GloVe"]


def test_a_table_explains_the_terms_of_its_header_also_where_the_page_has_explained_them():
    from pages._shared.app.tables import marked

    for title in ("3CosAdd, top five", "nearest to the third word", "spelling alone"):
        assert marked(title, {}).startswith(f'<span class="ev-term" tabindex="0" data-tip="{title}: ')
    assert marked("<b>covered", {}) == "&lt;b&gt;covered"
