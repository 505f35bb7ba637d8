"""The glossary: short, unique, and found in running text."""

import pytest

from embedviz.core.glossary import glossary, terms_in


def test_an_explanation_is_two_lines_at_most():
    for term in glossary().values():
        assert 20 < len(term.text) <= 170, term.name
        assert term.text.endswith("."), term.name


def test_no_form_belongs_to_two_terms():
    forms = [form.lower() for term in glossary().values() for form in (term.name, *term.forms)]
    assert len(forms) == len(set(forms))


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
