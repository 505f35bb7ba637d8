"""The tables of pages: the menu, pages outside it, and the views of pages."""

Row = tuple[str, str, str]
"""A page: file, title, icon."""
MENU: dict[str, list[Row | list[Row]]] = {
    "": [("start/home/page.py", "Start", "home")],
    "Words": [
        ("words/map/page.py", "Map", "scatter_plot"),
        [("words/neighbors/page.py", "Neighbors", "near_me"), ("words/subwords.py", "Subwords", "spellcheck")],
        ("words/analogy/page.py", "Analogy", "change_history"),
    ],
    "Quality": [
        ("quality/evaluation/page.py", "Evaluation", "fact_check"),
        ("quality/isotropy/page.py", "Isotropy", "explore"),
        [
            ("quality/compare/page.py", "Compare", "compare_arrows"),
            ("quality/timeline/page.py", "Timeline", "timeline"),
        ],
    ],
    "Context": [
        ("context/senses/page.py", "Senses", "layers"),
        ("context/layers/page.py", "Layers", "stacked_line_chart"),
        [("context/attention/page.py", "Attention", "grid_view"), ("context/path/page.py", "Path", "route")],
        ("context/pooling/page.py", "Sentences", "filter_alt"),
    ],
    "Texts": [
        ("texts/documents/page.py", "Documents", "description"),
        ("texts/search/page.py", "Search", "search"),
    ],
    "Make": [
        [
            ("make/train/page.py", "Train", "model_training"),
            ("make/corpus/page.py", "Corpus", "article"),
            ("make/trajectory/page.py", "Replay", "animation"),
        ],
        ("make/open/page.py", "Open", "upload_file"),
    ],
    "Learn": [("learn/page.py", "Learn", "school")],
}
"""The pages by group. In a list of rows, the first page is in the menu and the others are its views."""
HIDDEN = [
    ("make/jobs.py", "Jobs", "pending_actions"),
    ("start/glossary.py", "Glossary", "menu_book"),
    ("learn/teach.py", "Teach", "school"),
]
"""Pages that the menu does not list; other pages link to them."""
WITHOUT_FIGURE = ("open", "jobs", "glossary", "teach")
"""Names in the address of pages without a lecture view, because they have no figure."""
VIEWS = {
    "neighbors": {"neighbors": "Nearest", "subwords": "Subwords"},
    "compare": {"compare": "Two spaces", "timeline": "Timeline"},
    "attention": {"attention": "Heads", "path": "Path of a word"},
    "train": {"corpus": "1 · Text", "train": "2 · Train", "trajectory": "3 · Replay"},
}
"""The views of each page that has several: a mapping from the name in the address to the label, in order."""
