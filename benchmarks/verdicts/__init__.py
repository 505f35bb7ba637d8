"""The verdicts of the program, one module a subject."""

from verdicts import context, maps, sets, texts, words

ALL = (*maps.VERDICTS, *words.VERDICTS, *sets.VERDICTS, *context.VERDICTS, *texts.VERDICTS)
