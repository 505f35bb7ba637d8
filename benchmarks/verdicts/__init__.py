"""The verdicts of the program, one module a subject."""

from verdicts import context, files, maps, sets, shape, texts, words

ALL = (
    *maps.VERDICTS,
    *words.VERDICTS,
    *sets.VERDICTS,
    *context.VERDICTS,
    *texts.VERDICTS,
    *files.VERDICTS,
    *shape.VERDICTS,
)
