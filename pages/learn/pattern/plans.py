"""The lesson plans of a teacher: what to click, what to ask, what students get wrong."""

from pages.learn.pattern.plan import Ask, LessonPlan, LessonStep

PLANS = (
    LessonPlan(
        "what",
        (
            LessonStep(1, "Show the row of guitar. Each bar is one number of the row.", {"word": "guitar"}),
            LessonStep(2, "Show the row of piano. No single bar says “music”.", {"word": "piano"}),
            LessonStep(2, "Read the formula: the one-hot vector chooses one row. Let the class answer the question."),
        ),
        (
            Ask("How many numbers does the whole table hold?", "The number of words times the number of dimensions."),
            Ask("How far apart are any two one-hot vectors?", "√2: they differ in two places, by 1 in each."),
        ),
        (
            "They look for the meaning of one number. A single number seldom has one that people can name.",
            "They say that a one-hot vector carries one bit. The vector names one of n words, which takes log₂ n bits.",
        ),
    ),
    LessonPlan(
        "near",
        (
            LessonStep(1, "Show piano and violin. Read the three formulas.", {"word": "piano", "second": "violin"}),
            LessonStep(
                2,
                "Drag the tip of b outward in its own direction. The dot product grows; the cosine stays.",
                {"word": "piano"},
            ),
            LessonStep(2, "Show hot and cold: opposites are near.", {"word": "hot", "second": "cold"}),
        ),
        (
            Ask(
                "Which of the three values change when an arrow gets longer?",
                "Dot product and distance. The cosine depends on the directions alone.",
            ),
            Ask(
                "When do cosine and distance agree?",
                "At length 1: d² = 2 − 2 cos, so the largest cosine is the smallest distance.",
            ),
        ),
        (
            "They use the dot product as similarity. It ranks words like the cosine only if all vectors have the same "
            "length.",
            "They read “near” as “means the same”. Opposites stand in similar sentences.",
        ),
    ),
    LessonPlan(
        "arithmetic",
        (
            LessonStep(
                2,
                "Show king − man + woman. The dotted corner is the sum; the blue dot is the nearest other word.",
                {"formula": "king - man + woman"},
            ),
            LessonStep(
                2,
                "Read the cosines with the sum. If the formula’s own words are allowed, one of them is the nearest.",
                {"formula": "king - man + woman"},
            ),
            LessonStep(1, "Let the class propose a formula. By how many places does it raise its answer?"),
        ),
        (
            Ask(
                "Why does the rule forbid the words of the formula?",
                "The sum is made of their vectors, so one of them is often the nearest word.",
            ),
            Ask(
                "By nearness alone, at which rank is the expected word, or else the answer?",
                "Details says it, and whether the formula raises or lowers it. From rank 2 it gains one place at most.",
            ),
        ),
        (
            "They put the minus before the wrong word: man + woman − king. The word that is taken away is man.",
            "They say king − man + woman = queen. Queen is the nearest word only if king, man and woman are excluded.",
        ),
    ),
    LessonPlan(
        "learning",
        (
            LessonStep(1, "Show the first moment: random places.", {"moment": "0"}),
            LessonStep(2, "Move the slider in steps. Watch king, queen, bank and paris."),
            LessonStep(2, "Ask for the epoch at which, on average, half of the final neighbors are there."),
        ),
        (
            Ask(
                "What does the program see of a word?",
                "Which words stand near it in the texts. It sees neither spelling nor meaning.",
            ),
            Ask(
                "Would another random start give the same map?",
                "No, the places would differ. Compare the neighbors of a word, not its place.",
            ),
        ),
        (
            "They think that the program learns analogies. It learns which words stand near each other.",
            "They take the made-up texts as evidence about language. Their grammar was built to show this.",
        ),
    ),
    LessonPlan(
        "senses",
        (
            LessonStep(1, "Show layer 0 of bank: both senses are mixed.", {"sense": "bank", "layer": "0"}),
            LessonStep(
                2,
                "Move the layer up. More occurrences are nearest to their own sense.",
                {"sense": "bank", "layer": "3"},
            ),
            LessonStep(2, "Open Details. The other words alone separate the senses nearly as well."),
        ),
        (
            Ask(
                "Why is layer 0 almost the same in every sentence?",
                "It is the input vector of the word; only the position in the sentence changes it.",
            ),
            Ask(
                "What does a table with one row per word do with bank?",
                "All sentences share one vector, a mixture of the senses.",
            ),
        ),
        (
            "They say that the one vector lies in the middle of all senses. The frequent sense weighs more.",
            "They think that only the model separates the senses. The other words alone do so nearly as well.",
        ),
    ),
    LessonPlan(
        "trust",
        (
            LessonStep(2, "Show the map beside that of random data. Ask which islands are real."),
            LessonStep(2, "Choose PCA. Compare the neighbors kept by the map and by its copies.", {"method": "pca"}),
            LessonStep(1, "Let the class answer: does the map pass the rule for neighbors?"),
        ),
        (
            Ask(
                "Why is the baseline a map of random data, and not points at random places?",
                "The method keeps many neighbors even of random data; points at random places keep nearly none.",
            ),
            Ask(
                "Which of these can you trust on a map: neighbors, groups, long distances?",
                "Those that the map keeps clearly better than maps of random data. Each is tested alone.",
            ),
        ),
        (
            "They read sizes and gaps of a t-SNE map. They need not be those of the space.",
            "They trust islands. The same method can make islands of noise.",
        ),
    ),
)
"""One plan for each lesson of the first path, in its order."""
