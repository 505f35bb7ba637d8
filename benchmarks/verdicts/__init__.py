"""The verdicts of the program, one module a subject."""

from verdicts import sets, texts, words

ALL = (*words.VERDICTS, *sets.VERDICTS, *texts.VERDICTS)
