"""The few lines of Python that give a page's result in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from embedviz.catalog import Recipe
from embedviz.contextual.models import BUILTIN, Card
from embedviz.corpus.preparing import SOURCES, TOKENIZING
from embedviz.training.trainers import TRAINERS
from pages._shared.app import lists

if TYPE_CHECKING:
    from embedviz.retrieval import Hits
    from embedviz.training import Record

Options = Mapping[str, Any]
_LONGEST = 20_000  # characters of one option
_LISTED = 500
_ROOMS = {
    "analogy": "embedviz.neighbors",
    "coloring": "embedviz.projection",
    "comparison": "embedviz.geometry",
    "corrections": "embedviz.geometry",
    "datasets": "embedviz.testsets",
    "documents": "embedviz.retrieval",
    "isotropy": "embedviz.geometry",
    "models": "embedviz.contextual",
    "pasted": "embedviz.core",
    "quality": "embedviz.projection",
    "sampling": "embedviz.projection",
}
"""Where the modules of the code lie that are no rooms themselves."""


def jobs_lines(recipe: Recipe) -> str:
    """What the page Jobs shows, of a job begun here."""
    return _joined(
        "jobs",
        recipe,
        "rows = range(min(600, len(space)))",
        'what = {"owner": "me", "title": f"A map of {len(rows)} words"}',
        'job = jobs.run("embedviz.projection:lay_out", space, rows, "pca", **what)',
        "while not job.wait(0.5):",
        '    print(job.state, job.message, f"{job.fraction or 0:.0%}")',
        'print(job.title, job.state, f"{job.seconds:.1f} s")',
        'print(jobs.pool().load("me"))',
    )


def trajectory_lines(recipe: Recipe, others: Sequence[Recipe], components: int, word: str) -> str:
    """What the page Trajectory shows: how a run's words came among their last neighbors, and a word's own."""
    lines = [
        f"from embedviz import catalog{', training' if others else ''}",
        "from embedviz.training import replay",
        "",
    ]
    for place, one in enumerate((recipe, *others)):
        address = str(one)
        if one.kind != "saved":
            name = "OTHER" if place else "NAME"
            lines.append(f"# Save the space first: {name} stands for what it is called then.")
            address = f"saved:{name}"
        lines.append(f"folder_{place} = str(catalog.open_space({address!r}).folder)")
    onto = [
        f"other = replay.film(folder_1, {components}, onto=folder_0)",
        "print(training.answered([training.record(folder_0), training.record(folder_1)], 'AB'))",
        "print(replay.beside([found, other], 'AB'))",
    ]
    return "\n".join(
        [
            *lines,
            f"found = replay.film(folder_0, {components})",
            "for epoch, there, shown in zip(found.moments, found.settled, found.shares):",
            '    print(f"pass {epoch:.2f}: {there:.0%} of last neighbors, {shown:.0%} of the variance in the picture")',
            "print(found.meaning, found.picture)",
            *(onto if others else []),
            f"near = replay.nearest(replay.opened(folder_0), {word!r})",
            "for epoch, listed in zip(near.epochs, near.lists):",
            '    print(f"pass {epoch:.2f}", *(f"{one} {cosine:.2f}" for one, cosine in listed))',
        ]
    )


def documents_lines(
    recipe: Recipe | None,
    reading: Options | None,
    method: str,
    options: Options,
    way: str,
    clusters: Options,
    groups: bool,
    card: Card | None = None,
) -> str:
    """What the page Documents shows: the space of the texts, their clusters, and how near texts share a group.

    Args:
        recipe: Of the space of words, where the method takes one.
        reading: How the file of texts is read; None for the texts that come with the program.
        way: How clusters are found, with their options.
        card: Of the encoder, where that is the method.
    """
    making = f"documents.text_space(texts, {method!r}, {_keywords(options, 'space' if recipe else 'None')})"
    if card is not None:
        making = f"encoded.text_space(texts, model={_model(card)}, {_keywords(options)})"
    lines = [
        _texts(reading),
        f"made = {making}",
        f"found = themes(made.space, {_call(way, clusters)})",
        "print(found.meaning)",
        "for theme in found.themes:",
        '    print(theme.size, theme.name, sep="  ")',
        *(["print(group_scores(made.space).meaning)"] if groups else []),
    ]
    imports = "from embedviz.retrieval.themes import group_scores, themes"
    if card is not None:
        needed = "corpus" if card.folder == BUILTIN else "corpus, models"
        return "\n".join([*_imports([needed]), "from embedviz.retrieval import encoded", imports, "", *lines])
    if recipe is None:
        return "\n".join([*_imports(["corpus", "documents"]), imports, "", *lines])
    return _joined("corpus, documents", recipe, *lines, study=imports)


def corpus_lines(source: str, reading: Options, ready: bool, min_count: int) -> str:
    """What the page Corpus shows: the numbers of a corpus, and what a least count keeps of it.

    Args:
        source: What `prepare` takes, or the folder of a corpus that is `ready`.
        reading: How it is read and tokenized.
    """
    return "\n".join(
        [
            *_prepared(source, reading, ready, "vocabulary"),
            "found = vocabulary.described(corpus)",
            "print(corpus.size, found.meaning, found.note, sep='\\n')",
            f"for kept in vocabulary.thresholds(corpus, {min_count}):",
            "    print(kept.min_count, kept.words, f'{kept.tokens_share:.3f}')",
            "for entry in vocabulary.most_frequent(corpus, 10):",
            "    print(entry.rank, entry.word, entry.times)",
        ]
    )


def ratio_lines(
    source: str,
    reading: Options,
    ready: bool,
    one: str,
    other: str,
    probes: Sequence[str],
    window: int,
    weighting: str,
) -> str:
    """What the page Corpus shows of two words; the first three arguments are those of `corpus_lines`."""
    asked = f"{one!r}, {other!r}, {list(probes)!r}, window={window}, weighting={weighting!r}"
    return "\n".join(
        [
            *_prepared(source, reading, ready, "ratios"),
            f"found = ratios.ratios(corpus, {asked})",
            "for row in found.rows:",
            "    print(row.word, row.pairs, row.ratio, row.low, row.high, row.beyond)",
            "print(found.meaning, found.note, sep='\\n')",
        ]
    )


def _prepared(source: str, reading: Options, ready: bool, study: str) -> list[str]:
    """The lines that open a corpus, or make it, and import what asks of it."""
    if ready:
        return [f"from embedviz.corpus import {study}, tokenized", "", f"corpus = tokenized.open_corpus({source!r})"]
    given = _keywords(reading, f'{source!r}, f"{{folder}}/corpus"')
    imports = ["import tempfile", f"from embedviz.corpus import preparing, {study}", ""]
    return [*imports, "folder = tempfile.mkdtemp()", f"corpus = preparing.prepare({given})"]


def search_lines(
    recipe: Recipe, reading: Options | None, found: Hits, constants: Options, card: Card | None = None
) -> str:
    """What the page Search shows: the texts that each method finds, and whether that is better than chance.

    Args:
        recipe: Of the space of words.
        reading: How the file of texts is read; None for the texts that come with the program.
        constants: Of BM25.
        card: Of the encoder, where it is asked.
    """
    turned = _keywords({"k": found.k, **constants})
    needed = "corpus, retrieval"
    making = "texts, words=space"
    if card is not None:
        needed = needed if card.folder == BUILTIN else "corpus, models, retrieval"
        making = f"texts, {[*found.rankings]!r}, space, model={_model(card)}"
    lines = [
        _texts(reading),
        f"indexed = indexing.index({making})",
        f"found = retrieval.search({found.query!r}, indexed, {[*found.rankings]!r}, {turned})",
        "for ranking in found.rankings.values():",
        "    for hit in ranking.hits:",
        '        print(ranking.title, hit.rank, f"{hit.score:.2f}", hit.title, sep="  ")',
        "print(found.meaning)",
    ]
    return _joined(needed, recipe, *lines, study="from embedviz.retrieval import indexing")


def _model(card: Card) -> str:
    """What stands for an encoder in a call."""
    return repr(BUILTIN) if card.folder == BUILTIN else f"models.card({card.name!r}).folder"


def senses_lines(word: str, source: Options | None, reading: Options | None, turned: Options, card: Card) -> str:
    """What the page Senses shows: the scores of each layer beside the control, and the word alone.

    Args:
        source: What `contextual.senses.chart` takes the sentences by; none for those of the program.
        reading: How the file of texts is read, where sentences are looked for in one's own.
        turned: Options of the chart that are not the usual ones.
        card: Of the encoder.
    """
    given, lines = dict(source or {}), []
    own = card.folder != BUILTIN
    if "file" in given or len(str(given.get("text", ""))) > _LONGEST:
        given = {"file": "your-sentences.txt"}
    elif reading is not None:
        lines = [_texts(reading), f"given = senses.sentences_with({word!r}, texts.texts)"]
        given = {}
    first = ", ".join([repr(word), *(["given"] if lines else []), *([f"model={_model(card)}"] if own else [])])
    call = _keywords({**given, **turned}, first)
    needed = ", ".join([*(["corpus"] if lines else []), *(["models"] if own else [])])
    return "\n".join(
        [
            *_imports([needed]),
            "from embedviz.contextual import senses",
            "",
            *lines,
            f"chart = senses.chart({call})",
            "for layer, one in chart.found.scored:",
            '    print(layer, *(f"{s.name} {s.value:.2f} ({s.low:.2f} to {s.high:.2f})" for s in one.scores))',
            "print(chart.found.sample, chart.meaning)",
        ]
    )


def _reading_with(given: Options, card: Card, *first: str, also: str = "") -> tuple[str, list[str]]:
    """The arguments of a call that reads with an encoder, and the import that they, and what is made `also`, need."""
    named = [] if card.folder == BUILTIN else [f"model={_model(card)}"]
    needed = [*([also] if also else []), *(["models"] if named else [])]
    arguments = ", ".join([*first, *named, *([_keywords(given)] if given else [])])
    return arguments, _imports(needed)


def training_lines(record: Record) -> str:
    """What the page Train shows of a run that was made: the same run again, and how it went."""
    made = dict(record.corpus.made)
    source = str(made.pop("source", "file"))
    usual = {option.name: option.default for option in TOKENIZING}
    given = {name: value for name, value in made.items() if usual.get(name) != value}
    source = source if source in SOURCES else "your-text.txt"
    method = TRAINERS[record.method]
    turned = {option.name: record.options[option.name] for option in method.options if option.name in record.options}
    turned = {name: value for name, value in turned.items() if value != method.option(name).default}
    reading = f"{source!r}, 'my-corpus'"
    sets = " ".join(f"--set {name}={value}" for name, value in turned.items())
    return "\n".join(
        [
            f"# in a terminal: embedviz train {record.method} {source} my-space --defaults {sets}".rstrip(),
            "from embedviz.corpus import preparing",
            "from embedviz import training",
            "",
            f"corpus = preparing.prepare({_keywords(given, reading)})",
            f'ran = training.train(str(corpus.folder), {record.method!r}, "my-space", options={turned!r})',
            "told = training.record(ran.folder)",
            "for one in told.moments:",
            "    print(one.epoch, one.loss, one.analogies, one.third, one.similarity, sep='  ')",
            "print(told.rows, told.dimensions, told.matrix)",
        ]
    )


def _keywords(options: Options, first: str = "") -> str:
    """Arguments of a call: one without a name, where there is one, then the options."""
    return ", ".join([*([first] if first else []), *(f"{name}={value!r}" for name, value in options.items())])


def _texts(reading: Options | None) -> str:
    """The line that reads the texts in use: those that come with the program, or a file read with these options."""
    if reading is None:
        return "texts = corpus.lee()"
    given = _keywords(reading, '"your-texts"')
    return f"texts, reading = corpus.read_texts({given})"


def _imports(names: Sequence[str]) -> list[str]:
    """Return the lines that import these modules, one for each room."""
    rooms: dict[str, list[str]] = {}
    for name in (each.strip() for listed in names for each in listed.split(",")):
        if name:
            rooms.setdefault(_ROOMS.get(name, "embedviz"), []).append(name)
    return [f"from {room} import {', '.join(listed)}" for room, listed in sorted(rooms.items())]


def _joined(imports: str, recipe: Recipe, *lines: str, study: str = "") -> str:
    """Code that begins with one space, with one more import where it needs a study."""
    return "\n".join([*_opened(imports, {"space": recipe}, study), *lines])


def _opened(imports: str, recipes: Mapping[str, Recipe], study: str = "") -> list[str]:
    """The lines that import and open spaces, each under its name."""
    near = {name for name, recipe in recipes.items() if recipe.in_terminal}
    needed = [*(["catalog"] if near else []), *(["formats", "corrections"] if len(near) < len(recipes) else [])]
    needed += [imports] if imports else []
    lines = [*_imports(needed), *([study] if study else []), ""]
    for place, (name, recipe) in enumerate(recipes.items(), 1):
        if name in near:
            lines.append(f"{name} = catalog.open_space({str(recipe)!r})")
            continue
        file = "your-file" if len(recipes) == 1 else f"your-file-{place}"  # the server's copy is out of reach
        lines.append(f'{name}, reading = formats.read("{file}", skip_bad=True)')
        lines += [
            f"{name} = corrections.corrected({name}, {_call(step, dict(pairs))})" for step, pairs in recipe.corrections
        ]
    return lines


class _File(str):
    """Stands in the code for a text too long to be written there."""

    def __repr__(self) -> str:
        return f"open({super().__repr__()}, encoding='utf-8-sig').read()"


def _written(options: Options) -> dict[str, Any]:
    """The options as the code gives them: a pasted list whole, a very long one as a file, such as the page's Table."""
    whole = lists.whole(options)
    return {
        name: _File("your-list.csv") if isinstance(value, str) and len(value) > _LONGEST else value
        for name, value in whole.items()
    }


def _call(name: str, options: Options) -> str:
    """The arguments of a call to a row of a table: its name, then its options."""
    return ", ".join([repr(name), *(f"{key}={value!r}" for key, value in options.items())])
