"""The verdicts of the program, one module a subject."""

from verdicts import texts, words

ALL = (*words.VERDICTS, *texts.VERDICTS)
