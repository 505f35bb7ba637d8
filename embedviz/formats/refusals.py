"""The errors for files without vectors: they name the kind of file, known by its first bytes, and say what to do."""

import re

from embedviz.files.errors import FormatError

RIGHT = (
    "A vector file has a word and its numbers on every line, or is word2vec binary, a fastText model, a NumPy file, "
    "safetensors, or a table with vectors."
)

_PICKLE = (
    "This is a pickle ({what}). It is never opened, because opening a pickle can run code. "
    "If you trust the file, convert it in Python and open the result."
)
_PACKED = (
    "This is packed ({what}). Unpack it and open the file of vectors in it. "
    "Files in .gz, .bz2, .xz and .zip are read as they are."
)
CONVERSIONS = {
    "a gensim model": (
        "from gensim.models import {kind}",
        '{kind}.load("FILE"){vectors}.save_word2vec_format("vectors.bin", binary=True)',
    ),
    "a PyTorch file": (
        'import numpy, torch; found = torch.load("FILE", weights_only=True)',
        'numpy.save("vectors.npy", found["embedding.weight"].float().numpy())  # the name of your matrix',
    ),
    "saved Python objects": (
        'import numpy, pickle; found = pickle.load(open("FILE", "rb"))  # a dictionary from word to vector',
        'numpy.savez("vectors.npz", words=list(found), matrix=numpy.array(list(found.values()), "float32"))',
    ),
}
"""Kind of pickle → two lines of Python that convert such a file, if it comes from a trusted source."""
_GENSIM = re.compile(rb"gensim\.models\.(?:keyedvectors|word2vec|fasttext|doc2vec)\W{1,4}(\w{3,40})")
_MODELS = ("Word2Vec", "FastText", "Doc2Vec")
_ARRAYS = (
    "This is {what}, which is not read here. Export a text file with a word and its numbers on every line, "
    'or np.savez("vectors.npz", words=words, matrix=matrix).'
)
_OTHER = "This is {what}, not a vector file. " + RIGHT

_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"FEA1", "a Feather table of version 1", _ARRAYS),
    (b"GGUF", "a GGUF model", _ARRAYS),
    (b"BZh", "bzip2 inside another packing", _PACKED),
    (b"\xfd7zXZ\x00", "xz inside another packing", _PACKED),
    (b"\x28\xb5\x2f\xfd", "zstd", _PACKED),
    (b"7z\xbc\xaf\x27\x1c", "7z", _PACKED),
    (b"Rar!", "rar", _PACKED),
    (b"\x1f\x8b", "gzip inside another packing", _PACKED),
    (b"\x89PNG", "an image (PNG)", _OTHER),
    (b"\xff\xd8\xff", "an image (JPEG)", _OTHER),
    (b"GIF8", "an image (GIF)", _OTHER),
    (b"RIFF", "an image or a sound (RIFF)", _OTHER),
    (b"%PDF", "a PDF document", _OTHER),
    (b"SQLite format 3", "an SQLite database", _OTHER),
    (b"\x7fELF", "a program", _OTHER),
    (b"{\\rtf", "an RTF document", _OTHER),
    (b"version https://git-lfs", "a Git LFS pointer", "This is {what}: the file itself is still to be downloaded."),
)
_OLD_PICKLE = re.compile(rb"\A(\((dp|lp|i|c)\d*|c)[\w.]+\n|\A\((dp|lp)\d+\n")
_HTML = re.compile(rb"\A\s*<(!doctype|html|head|body|\?xml|svg)", re.IGNORECASE)


def known_other(head: bytes) -> FormatError | None:
    """Return the error for a file whose first bytes show a known kind of file without vectors; None for other files."""
    special = _pickle(head) or _zip(head) or _markup(head)
    if special:
        return special
    for signature, what, template in _SIGNATURES:
        if head.startswith(signature):
            return _refuse(template, what)
    if head[257:262] == b"ustar":
        return _refuse(_PACKED, "tar")
    return None


def is_container(head: bytes) -> bool:
    """Return whether a file is a binary file of a known kind without vectors.

    It is False for a text file, even if the text begins with the same letters as such a binary file.
    """
    return _control(head[:512]) > 0 and known_other(head) is not None


def unknown(head: bytes) -> FormatError:
    """Return the error for a file of no known kind.

    The message says what the file looks like: empty, plain text, a CSV table without vectors, or binary data.
    """
    if not head.strip():
        return _refuse("The file is {what}. " + RIGHT + " Choose another file.", "blank" if head else "empty")
    lines = [line for line in head.split(b"\n")[:50] if line.strip()]
    if head.count(0) or _control(head) > len(head) // 50:
        return _refuse(_OTHER, "a binary file of an unknown kind")
    if sum(_comma_numbers(line) for line in lines) * 2 > len(lines):
        text = "This is {what} without vectors. A column of lists, or at least two columns of numbers are needed."
        return _refuse(text, "a table with commas (CSV)")
    return _refuse(f"{_OTHER} To map or search texts, use the page Documents or Search.", "plain text")


def wordless() -> FormatError:
    """Return the error for a table whose first column holds numbers instead of words."""
    text = "This is {what}: its first column holds no words. Put a word at the beginning of every line."
    return _refuse(text, "a table of numbers")


def _refuse(template: str, what: str) -> FormatError:
    return FormatError(template.format(what=what), {"reason": "not a vector file", "looks_like": what, "usable": 0})


def _pickle(head: bytes) -> FormatError | None:
    if (len(head) > 1 and head[0] == 0x80 and head[1] <= 5) or _OLD_PICKLE.match(head):
        makers = ((b"gensim", "a gensim model"), (b"torch", "a PyTorch file"))
        return _pickled(next((what for sign, what in makers if sign in head), "saved Python objects"), head)
    return None


def _pickled(what: str, head: bytes) -> FormatError:
    """Return the error for a pickle of the kind `what`, with two lines of Python that convert the file."""
    match = _GENSIM.search(head)
    found = match[1].decode("ascii", "replace") if match else "KeyedVectors"
    kind = found if found in (*_MODELS, "FastTextKeyedVectors") else "KeyedVectors"
    vectors = ".wv" if kind in _MODELS else ""
    kind = "KeyedVectors" if kind == "FastTextKeyedVectors" else kind
    lines = [line.replace("{kind}", kind).replace("{vectors}", vectors) for line in CONVERSIONS[what]]
    refused = _refuse(_PICKLE, what)
    return FormatError("\n    ".join([str(refused), *lines]), {**refused.details, "python": lines})


def _zip(head: bytes) -> FormatError | None:
    if not head.startswith(b"PK\x03\x04"):
        return None
    if b"data.pkl" in head:
        return _pickled("a PyTorch file", head)
    return _refuse(_PACKED, "zip")


def _markup(head: bytes) -> FormatError | None:
    if _HTML.match(head):
        text = _OTHER + " A download page may have been saved in place of the file."
        return _refuse(text, "a web page (HTML or XML)")
    if re.match(rb'\A\s*(\{\s*["}]|\[\s*[\[{"\d-])', head):
        return _refuse(_OTHER, "JSON")
    return None


def _control(head: bytes) -> int:
    return len(head) - len(head.translate(None, bytes(set(range(32)) - set(b"\t\n\r\x0c"))))


def _comma_numbers(line: bytes) -> bool:
    fields = re.split(rb"[,;]", line)
    return len(fields) > 2 and sum(map(is_number, fields)) * 2 >= len(fields) - 1


def is_number(field: bytes | str) -> bool:
    """Return whether Python's `float` can read a field as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True
