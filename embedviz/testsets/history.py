"""Milestones from word counts to today's models: the problem solved, the cost, and the size of the vector table.

Sizes come from the papers or from the published models; `source` says which.
"""

from typing import NamedTuple


class Milestone(NamedTuple):
    """One milestone: a model or method.

    Attributes:
        name: Short name of the milestone, for page addresses.
        rows, dimensions: Shape of the model's table of word or token vectors; both 0 if the model has no table.
        total: Number of parameters of the whole model; 0 if only the table is used after training.
        solved, cost: One sentence each, shown on the page.
        source: The paper, and where the size comes from.
        lesson: Name of the lesson, in this program, that explains the idea of the milestone.
    """

    name: str
    title: str
    year: int
    rows: int
    dimensions: int
    total: int
    solved: str
    cost: str
    source: str
    lesson: str

    @property
    def parameters(self) -> int:
        """Return the number of parameters in the table, |V| · d."""
        return self.rows * self.dimensions

    @property
    def share(self) -> float:
        """Return the share of the model's parameters that are in the table, 0 to 1; 1 if `total` is 0."""
        return self.parameters / self.total if self.total else 1.0


MILESTONES = (
    Milestone(
        "lsa",
        "LSA",
        1990,
        5_823,
        100,
        0,
        "Texts are found that share no word with the question: a few directions stand for thousands of words.",
        "A singular value decomposition of all counts; later texts change no direction until it is computed again.",
        "Deerwester et al. 1990, collection MED: 5,823 terms, 100 factors.",
        "lsa",
    ),
    Milestone(
        "nnlm",
        "Neural language model",
        2003,
        17_964,
        100,
        0,
        "Vectors of words are learned: what is read of one word says something of all words like it.",
        "Each prediction computes the softmax over the whole vocabulary; training took weeks on 40 processors.",
        "Bengio et al. 2003, AP News: 17,964 words, 100 features.",
        "room",
    ),
    Milestone(
        "word2vec",
        "Word2Vec",
        2013,
        692_000,
        300,
        0,
        "A billion words are read in an hour: negative samples replace the softmax.",
        "One vector for each word, whatever its senses; a second table of outputs is trained and left out.",
        "Mikolov et al. 2013 (NIPS), Table 1: 692,000 words, 300 dimensions.",
        "price",
    ),
    Milestone(
        "glove",
        "GloVe",
        2014,
        400_000,
        300,
        0,
        "The counts of the whole text are used at once, and differences of vectors follow ratios of counts.",
        "The table of counts has to be stored; rare pairs have to be weighed down.",
        "Pennington et al. 2014, 6 billion tokens: 400,000 words, 300 dimensions.",
        "glove",
    ),
    Milestone(
        "fasttext",
        "fastText",
        2017,
        2_000_000,
        300,
        0,
        "Words that were never read get a vector from their parts.",
        "The table of n-grams comes on top of a row for each word; words with similar letters get similar vectors.",
        "Bojanowski et al. 2017: 2,000,000 buckets of n-grams, 300 dimensions.",
        "inside",
    ),
    Milestone(
        "elmo",
        "ELMo",
        2018,
        0,
        0,
        93_600_000,
        "A word has another vector in each sentence, from two language models, forward and backward.",
        "The whole sentence is read word after word, by a model of two recurrent layers.",
        "Peters et al. 2018; the published model has 93.6 million parameters and reads characters.",
        "elmo",
    ),
    Milestone(
        "bert",
        "BERT",
        2018,
        30_522,
        768,
        109_482_240,
        "All layers read both sides of a word at once; one model is tuned for many tasks.",
        "Untuned, it compares sentences badly: on STS-B the mean of its last layer has a Spearman correlation of 0.46, "
        "the mean of GloVe vectors 0.58.",
        "Devlin et al. 2019 (preprint 2018), bert-base-uncased: 30,522 pieces, 768 dimensions. STS-B: Reimers and "
        "Gurevych 2019.",
        "attention",
    ),
    Milestone(
        "gpt3",
        "GPT-3",
        2020,
        50_257,
        12_288,
        175_000_000_000,
        "Tasks are described in the text: no weight is changed for them.",
        "175 billion parameters; the table is a small part of them.",
        "Brown et al. 2020: 50,257 tokens, 12,288 dimensions.",
        "positions",
    ),
    Milestone(
        "minilm",
        "MiniLM sentence encoder",
        2021,
        30_522,
        384,
        22_713_216,
        "Sentences are compared by one vector each, trained with a billion pairs.",
        "The vector has to hold all of a text; a small model holds less.",
        "all-MiniLM-L6-v2 (the built-in encoder): 30,522 pieces, 384 dimensions.",
        "contrast",
    ),
    Milestone(
        "llama3",
        "Llama 3",
        2024,
        128_256,
        4_096,
        8_030_261_248,
        "More languages in fewer tokens: a larger vocabulary of pieces.",
        "The table alone is 22 times as large as that of BERT.",
        "Meta 2024, Llama 3 8B: 128,256 tokens, 4,096 dimensions.",
        "rotary",
    ),
)
"""All milestones, in order of year."""
