"""What a file looks like when it is no vector file, told by its first bytes; nothing is opened to find out."""

from __future__ import annotations

import re

from embedviz.files.errors import FormatError

RIGHT = "A vector file has a word and its numbers on every line, or is word2vec binary, a fastText model or an .npz."

_PICKLE = (
    "This is a pickle ({what}). It is never opened, because opening a pickle can run code. "
    'Where it was made, export the vectors with model.wv.save_word2vec_format("vectors.txt") and open that file.'
)
_PACKED = "This is packed ({what}). Unpack it and open the text or word2vec binary file in it; gzip is read as it is."
_ARRAYS = (
    "This is {what}, which is not read here. Export a text file with a word and its numbers on every line, "
    'or np.savez("vectors.npz", words=words, matrix=matrix).'
)
_OTHER = "This is {what}, not a vector file. " + RIGHT

_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x93NUMPY", "a NumPy array (.npy)", _ARRAYS),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _ARRAYS),
    (b"PAR1", "a Parquet table", _ARRAYS),
    (b"ARROW1", "an Arrow table", _ARRAYS),
    (b"FEA1", "a Feather table", _ARRAYS),
    (b"GGUF", "a GGUF model", _ARRAYS),
    (b"BZh", "bzip2", _PACKED),
    (b"\xfd7zXZ\x00", "xz", _PACKED),
    (b"\x28\xb5\x2f\xfd", "zstd", _PACKED),
    (b"7z\xbc\xaf\x27\x1c", "7z", _PACKED),
    (b"Rar!", "rar", _PACKED),
    (b"\x1f\x8b", "gzip inside gzip", _PACKED),
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
    """Return the refusal of a kind of file that is known and is no vector file, or None."""
    special = _pickle(head) or _zip(head) or _safetensors(head) or _markup(head)
    if special:
        return special
    for signature, what, template in _SIGNATURES:
        if head.startswith(signature):
            return _refuse(template, what)
    if head[257:262] == b"ustar":
        return _refuse(_PACKED, "tar")
    return None


def is_container(head: bytes) -> bool:
    """Return whether the first bytes are those of a known kind of file, and not of text that begins the same."""
    return _control(head[:512]) > 0 and known_other(head) is not None


def unknown(head: bytes) -> FormatError:
    """Return the refusal of anything else: text, a table with commas, numbers without words, or bytes."""
    if not head.strip():
        return _refuse("The file is {what}. " + RIGHT + " Choose another file.", "blank" if head else "empty")
    lines = [line for line in head.split(b"\n")[:50] if line.strip()]
    if head.count(0) or _control(head) > len(head) // 50:
        return _refuse(_OTHER, "a binary file of an unknown kind")
    if sum(_comma_numbers(line) for line in lines) * 2 > len(lines):
        text = "This is {what}. Save it with spaces in place of the commas: a word, then its numbers."
        return _refuse(text, "a table with commas (CSV)")
    return _refuse(_OTHER, "plain text")


def wordless() -> FormatError:
    """Return the refusal of a table whose every field is a number."""
    text = "This is {what}: its first column holds no words. Put a word at the beginning of every line."
    return _refuse(text, "a table of numbers")


def _refuse(template: str, what: str) -> FormatError:
    return FormatError(template.format(what=what), {"reason": "not a vector file", "looks_like": what, "usable": 0})


def _pickle(head: bytes) -> FormatError | None:
    if (len(head) > 1 and head[0] == 0x80 and head[1] <= 5) or _OLD_PICKLE.match(head):
        makers = ((b"gensim", "a gensim model"), (b"torch", "a PyTorch file"))
        return _refuse(_PICKLE, next((what for sign, what in makers if sign in head), "saved Python objects"))
    return None


def _zip(head: bytes) -> FormatError | None:
    if not head.startswith(b"PK\x03\x04"):
        return None
    if b"data.pkl" in head:
        return _refuse(_PICKLE, "a PyTorch file")
    return _refuse(_PACKED, "zip")


def _safetensors(head: bytes) -> FormatError | None:
    length = int.from_bytes(head[:8], "little")
    if 2 <= length < 2**32 and head[8:10] in (b'{"', b"{}", b"{ "):
        return _refuse(_ARRAYS, "a safetensors file")
    return None


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


def is_number(field: bytes) -> bool:
    """Return whether Python reads it as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True
