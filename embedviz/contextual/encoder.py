"""Makers: sentences in, the hidden states of every layer out, by any text model of Hugging Face's transformers.

A model is a folder with `config.json`, weights in safetensors and a fast tokenizer, which alone tells where a token
stands in its sentence. Nothing is downloaded, no code of the folder is run, no pickle is opened.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import inspect
import json
import shutil
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from embedviz.core import builtin
from embedviz.core.device import memory, threads, torch_threads
from embedviz.core.hidden import LAYERS, HiddenStates, open_states, word_numbers, write_beside
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints, Origin, folder_writer, refuse_existing

BUILTIN = "builtin"
DTYPES = ("float32", "bfloat16", "float16")
KEPT_AS = ("float32", "float16")
TOKENS_AT_ONCE = 1_024
"""Tokens of a batch, padding included: enough to keep two cores busy, few enough to stay in their caches."""
LONGEST = 200_000
"""Characters of a sentence."""
_NO_LIMIT = 512  # tokens, where neither model nor tokenizer says how many they take
_SHARE_OF_MEMORY = 0.5


class EncoderError(ValueError):
    """A folder that holds no model we open, or sentences that a model cannot take; the message is a sentence."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Encoder:
    """A model that is loaded.

    Attributes:
        name: Of its folder; the built-in model has its own.
        kind: The architecture, as the configuration names it: bert, roberta, gpt2, …
        depth: L, its layers; the embedding output is layer 0.
        limit: Tokens that it takes at once, special ones included.
        checksum: SHA-256 of its weights.
        pooling: How its makers pool the tokens of a text, as `pooling_of` gives it.
    """

    name: str
    kind: str
    depth: int
    dimensions: int
    limit: int
    checksum: str
    network: Any
    tokenizer: Any
    pooling: str = ""

    def __repr__(self) -> str:
        return f"<Encoder {self.name}: {self.kind}, {self.depth} layers × {self.dimensions}>"

    @property
    def built_in(self) -> bool:
        """Whether it is the model that comes with the program."""
        return self.checksum == builtin.CHECKSUM

    @property
    def note(self) -> str:
        """What a reader should know of the built-in model; empty for any other."""
        return BUILTIN_NOTE if self.built_in else ""


BUILTIN_NOTE = (
    "The built-in model (all-MiniLM-L6-v2) was tuned contrastively for the meaning of whole sentences; it is no "
    "stand-in for raw BERT."
)


def beside(function: _Function) -> _Function:
    """Keeps what a function makes of a model, for the last two of its other arguments, as long as the model is kept.

    What it makes must not hold the model itself.
    """
    held: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()

    @wraps(function)
    def kept(model: Any, *rest: Any) -> Any:
        if model not in held:
            itself = weakref.ref(model)
            held[model] = lru_cache(maxsize=2)(lambda *given: function(itself(), *given))
        return held[model](*rest)

    kept.cache_clear = held.clear  # type: ignore[attr-defined]  # as an lru_cache has it
    return cast("_Function", kept)


def load(folder: str | Path = BUILTIN) -> Encoder:
    """The model of a folder, or the built-in one; the last two that were asked for stay in memory.

    Raises:
        EncoderError: The folder holds no configuration, no safetensors or no fast tokenizer, or a model of a kind that
            cannot be read.
        SpaceError: The built-in model is missing, or not the one that was published.
    """
    if str(folder) == BUILTIN:
        return _loaded(str(builtin.model_folder()), (), True)
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise EncoderError(f"There is no folder {folder}. A model is a folder with config.json, weights and tokenizer.")
    stamps = tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in sorted(path.iterdir()))
    return _loaded(str(path.resolve()), stamps, False)


@lru_cache(maxsize=2)
def _loaded(folder: str, stamps: tuple[Any, ...], built_in: bool) -> Encoder:
    path = Path(folder)
    kind = _kind(path)
    weights = _weights(path)
    if built_in:
        builtin.verify(weights[0])
    checksum = builtin.CHECKSUM if built_in else checksum_of(weights)
    with _quiet():
        tokenizer = _tokenizer(path)
        network = _network(path, kind)
    name = "all-MiniLM-L6-v2" if built_in else path.name
    settings = network.config
    limit = _limit(network, tokenizer)
    return Encoder(
        name,
        kind,
        int(settings.num_hidden_layers),
        int(settings.hidden_size),
        limit,
        checksum,
        network,
        tokenizer,
        pooling_of(path),
    )


def pooling_of(folder: str | Path) -> str:
    """Return how a model's makers pool: mean, cls, max or another name that sentence-transformers has.

    It stands in the folder as sentence-transformers writes it. Empty where the folder does not say; several that are
    joined have a plus between them.
    """
    path = builtin.model_folder() if str(folder) == BUILTIN else Path(folder).expanduser()
    place = "1_Pooling"
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, StopIteration):
        modules = json.loads((path / "modules.json").read_text("utf-8"))
        place = next(Path(one["path"]).name for one in modules if one["type"].endswith("Pooling"))
    try:
        said = json.loads((path / place / "config.json").read_text("utf-8"))
        modes = said.get("pooling_mode") or [name for name in said if name.startswith("pooling_mode_") and said[name]]
    except (OSError, ValueError, AttributeError):
        return ""
    names = [modes] if isinstance(modes, str) else modes if isinstance(modes, list) else []
    return "+".join(
        str(name).removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for name in names
    )


def _kind(path: Path) -> str:
    """The kind of model that the folder holds, its configuration looked through before anything is loaded.

    Raises:
        EncoderError: It is missing, or of something that is no text model.
    """
    try:
        config = json.loads((path / "config.json").read_text("utf-8"))
    except FileNotFoundError:
        raise EncoderError(
            f"{path.name} has no config.json: it is no model of Hugging Face's. Name the folder that holds it."
        ) from None
    except (OSError, ValueError):
        raise EncoderError(f"The config.json of {path.name} cannot be read as JSON.") from None
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in CONFIG_MAPPING:
        own = (
            " It brings its own code, which is never run." if isinstance(config, dict) and "auto_map" in config else ""
        )
        raise EncoderError(
            f"{path.name} is of the kind {str(kind)[:80]!r}, which transformers {version('transformers')} does not "
            f"know.{own} Take BERT, DistilBERT, RoBERTa, GPT-2 or another text model."
        )
    if config.get("is_encoder_decoder"):
        raise EncoderError(f"{path.name} ({kind}) is an encoder with a decoder; a model with one stack is needed.")
    if (path / "adapter_config.json").exists():
        raise EncoderError(f"{path.name} is an adapter, which needs another model's weights; merge the two first.")
    return str(kind)


def _weights(path: Path) -> list[Path]:
    """The files of the weights.

    Raises:
        EncoderError: There is none in safetensors.
    """
    single = path / "model.safetensors"
    if single.is_file():
        return [single]
    if (path / "model.safetensors.index.json").is_file():
        return sorted(path.glob("model-*.safetensors"))
    pickles = sorted(file.name for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for file in path.glob(pattern))
    if pickles:
        raise EncoderError(
            f"{path.name} has its weights as a pickle ({pickles[0]}), which can run code when it is opened. Save the "
            "model as safetensors: model.save_pretrained(folder)."
        )
    raise EncoderError(f"{path.name} has no weights: model.safetensors is needed.")


def _tokenizer(path: Path) -> Any:
    """The folder's tokenizer.

    Raises:
        EncoderError: There is none, or it does not tell where its tokens stand in the text.
    """
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False, use_fast=True)
    except Exception as error:  # a parser's, a file's or a missing package's, as the folder has it
        raise EncoderError(f"The tokenizer of {path.name} cannot be read ({_first_line(error)}).") from None
    if not found.is_fast or not (vocabulary := found.backend_tokenizer.get_vocab_size()):
        raise EncoderError(
            f"{path.name} has no fast tokenizer, which alone tells where a token stands in its sentence: "
            "tokenizer.json is needed."
        )
    if vocabulary <= len(found.all_special_tokens):
        raise EncoderError(f"The tokenizer of {path.name} has no vocabulary: tokenizer.json or vocab.txt is needed.")
    found.backend_tokenizer.no_truncation()
    found.backend_tokenizer.no_padding()
    return found


def _network(path: Path, kind: str) -> Any:
    """The folder's network, in evaluation mode, in float32.

    Raises:
        EncoderError: It is no text model, or its weights do not fit its configuration.
    """
    import torch
    from transformers import AutoModel

    try:
        network, told = AutoModel.from_pretrained(
            path,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as error:  # whatever a damaged or mixed-up folder makes of it
        raise EncoderError(f"{path.name} ({kind}) cannot be loaded: {_first_line(error)}.") from None
    missing = sorted(key for key in told["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise EncoderError(
            f"The weights of {path.name} lack {len(missing):,} tensors of its configuration, the first {missing[0]}: "
            "the two do not belong together."
        )
    settings = network.config
    text = "input_ids" in inspect.signature(network.forward).parameters
    if not text or not all(
        isinstance(getattr(settings, key, None), int) for key in ("num_hidden_layers", "hidden_size")
    ):
        raise EncoderError(f"{path.name} ({kind}) is no model of text with layers of one size.")
    return network.eval()


def _limit(network: Any, tokenizer: Any) -> int:
    """Tokens that the model takes at once; RoBERTa's first positions stand for padding."""
    found = getattr(network.config, "max_position_embeddings", None)
    limits = [found] if isinstance(found, int) and found > 0 else []
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    if limits and padding is not None:
        limits = [limits[0] - padding - 1]
    if tokenizer.model_max_length < 1_000_000:
        limits.append(int(tokenizer.model_max_length))
    return min(limits, default=_NO_LIMIT)


class _Window(NamedTuple):
    """A run of tokens that the model reads at once, and which of them are kept as which rows.

    Attributes:
        ids: (t,)
        kept: Places among the t, (k,).
        rows: Their rows of the hidden states, (k,).
    """

    ids: Ints
    kinds: Ints
    kept: Ints
    rows: Ints


def encode(
    model: Encoder | str | Path,
    sentences: Sequence[str],
    *,
    layers: str | Sequence[int] = "all",
    attention: bool = False,
    dtype: str = "float32",
    keep: str = "float32",
    device: str = "cpu",
    out: str | Path | None = None,
    report: Report | None = None,
) -> HiddenStates:
    """The hidden states of some sentences.

    Sentences of like length are read together; one that is too long for the model is read in windows that overlap by
    half, and each of its tokens has the vector of the window in which it is most central.

    Args:
        model: What `load` gives, or a folder, or `builtin`.
        layers: The numbers of the layers to keep, or *all*.
        attention: Whether the attention weights are kept too; then no sentence may be too long.
        dtype: What the network computes in: *float32*; *bfloat16*, faster and good to three digits; or *float16*,
            finer, for numbers below 65,504.
        keep: What the layers are kept as: *float32*, or *float16* in half the memory.
        device: As torch names it: cpu, cuda, …
        out: A folder to write them to, for a corpus that memory does not hold; they are then mapped from it, and
            `hidden.open_states` opens it again. It appears whole or not at all.

    Raises:
        EncoderError: The model cannot be loaded, a sentence is far too long, or there is not enough memory, or room on
            the disk.
        OptionError: An unknown layer, dtype or device, or attention that is to be written.
        FileExistsError: The folder is there already.
    """
    import torch

    folder = None if out is None else Path(out)
    _writable(folder, attention)
    encoder = model if isinstance(model, Encoder) else load(model)
    kept = _layers(layers, encoder.depth)
    _checked(sentences, dtype, keep)
    with _quiet():
        network = _moved(encoder.network, dtype, device)
    pieces = _pieces(encoder, sentences)
    _fits(encoder, pieces, len(kept), keep, attention, folder)
    windows, windowed = _windows(encoder, pieces)
    if attention and windowed:
        raise EncoderError(
            f"Sentence {windowed[0] + 1:,} has more tokens than the {encoder.limit:,} that {encoder.name} takes at "
            "once; attention is shown for shorter ones."
        )
    weights: list[Any] = [np.zeros((encoder.depth, _heads(network), 0, 0), np.float32)] * len(sentences)
    shape = (len(kept), int(pieces.bounds[-1]), encoder.dimensions)

    def read(put: Put) -> None:
        with torch_threads(), attending(network, attention), torch.inference_mode():
            for chosen, found in _batchwise(network, encoder, windows, attention, report):
                _put(encoder, chosen, found.hidden_states, kept, keep, put)
                if attention:
                    _keep_attention(weights, found.attentions, chosen, pieces.bounds)

    def made(states: Any) -> HiddenStates:
        return HiddenStates(
            tuple(sentences),
            pieces.bounds,
            pieces.tokens,
            pieces.ids,
            pieces.offsets,
            pieces.words,
            pieces.special,
            states,
            kept,
            encoder.depth,
            tuple(weights) if attention else None,
            windowed,
            _origin(encoder, dtype, keep),
        )

    if folder is None:
        states = np.empty(shape, keep)
        read(lambda at, rows, values: states.__setitem__((at, rows), values))
        return made(states)
    with folder_writer(folder) as draft:
        with _rows_of(draft / LAYERS, shape, keep) as put:
            read(put)
        write_beside(draft, made(np.load(draft / LAYERS, mmap_mode="r")))
    return open_states(folder)


Put = Callable[[int, Ints, Any], None]
"""Takes the number of a kept layer, some rows, ascending, and their vectors."""


def _batchwise(
    network: Any, encoder: Encoder, windows: Sequence[_Window], attention: bool, report: Report | None
) -> Iterator[tuple[list[_Window], Any]]:
    """Windows that were read together, and the network's output."""
    done, total = 0, sum(len(window.ids) for window in windows)
    for batch in _batches(windows):
        tell(report, done / total, f"Reading sentences, {done:,} of {total:,} tokens")
        chosen = [windows[number] for number in batch]
        yield chosen, _run(network, encoder, chosen, attention)
        done += sum(len(window.ids) for window in chosen)


def _put(encoder: Encoder, chosen: Sequence[_Window], states: Any, kept: Sequence[int], keep: str, put: Put) -> None:
    """Hands on the kept rows of a batch, layer by layer.

    Raises:
        EncoderError: They are not all numbers.
    """
    import torch

    rows = np.concatenate([window.rows for window in chosen])
    places = torch.from_numpy(_places(chosen))
    for at, number in enumerate(kept):
        state = states[number]
        flat = state.reshape(-1, state.shape[-1])[places.to(state.device)]
        with np.errstate(over="ignore"):
            values = flat.float().cpu().numpy().astype(keep, copy=False)
        if not np.isfinite(values).all():
            cure = " Keep them as float32." if keep == "float16" else ""
            raise EncoderError(f"{encoder.name} gives vectors that are not numbers.{cure}")
        put(at, rows, values)


@contextlib.contextmanager
def _rows_of(path: Path, shape: tuple[int, int, int], keep: str) -> Iterator[Put]:
    """A new .npy file of that shape, and the way to write rows of it in any order.

    Written, not mapped: pages of a map count as memory, and a full disk would end the process.
    """
    _, count, dimensions = shape
    size = dimensions * np.dtype(keep).itemsize
    with path.open("wb") as file:
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(keep)), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        start = file.tell()
        file.truncate(start + shape[0] * count * size)

        def put(at: int, rows: Ints, values: Any) -> None:
            for run in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rows) != 1) + 1):
                if len(run):
                    file.seek(start + (at * count + int(rows[run[0]])) * size)
                    file.write(np.ascontiguousarray(values[run[0] : run[-1] + 1]).data)

        yield put


def _writable(folder: Path | None, attention: bool) -> None:
    if folder is None:
        return
    if attention:
        raise OptionError("Attention is kept in memory alone; leave out the folder, or the attention.")
    refuse_existing(folder)


def _layers(layers: str | Sequence[int], depth: int) -> tuple[int, ...]:
    if isinstance(layers, str):
        if layers != "all":
            raise OptionError(f"layers is {layers!r}; give all, or the numbers of layers from 0 to {depth}.")
        return tuple(range(depth + 1))
    found = tuple(sorted({int(number) for number in layers}))
    if not found or not 0 <= found[0] <= found[-1] <= depth:
        raise OptionError(f"layers is {list(layers)}; the numbers may be from 0 to {depth}.")
    return found


def _checked(sentences: Sequence[str], dtype: str, keep: str) -> None:
    for name, value, known in (("dtype", dtype, DTYPES), ("keep", keep, KEPT_AS)):
        if value not in known:
            raise OptionError(f"{name} is {value!r}; it may be: {', '.join(known)}.")
    for number, sentence in enumerate(sentences, 1):
        if len(sentence) > LONGEST:
            raise EncoderError(
                f"Sentence {number:,} has {len(sentence):,} characters; at most {LONGEST:,} are read. Divide it."
            )


class _Pieces(NamedTuple):
    """The tokens of all sentences, as `HiddenStates` has them, and their kinds (segments)."""

    bounds: Ints
    tokens: list[str]
    ids: Ints
    kinds: Ints
    offsets: Ints
    words: Ints
    special: Any


def _pieces(encoder: Encoder, sentences: Sequence[str]) -> _Pieces:
    """What the tokenizer makes of the sentences; one without a token has no special ones either."""
    backend = encoder.tokenizer.backend_tokenizer
    texts = [sentence.encode("utf-8", "replace").decode("utf-8") for sentence in sentences]  # a lone surrogate
    encoded = backend.encode_batch(texts) if threads() > 1 else [backend.encode(text) for text in texts]
    bounds = np.zeros(len(texts) + 1, np.int64)
    kept = []
    for number, (text, one) in enumerate(zip(texts, encoded, strict=True)):
        whole = text.strip() and not all(one.special_tokens_mask)
        bounds[number + 1] = bounds[number] + (len(one.ids) if whole else 0)
        if whole:
            kept.append((text, one))
    ids = np.array([i for _, one in kept for i in one.ids], np.int64)
    most = encoder.network.get_input_embeddings().num_embeddings
    if len(ids) and ids.max() >= most:
        raise EncoderError(
            f"The tokenizer of {encoder.name} gives token {ids.max():,}; the model has {most:,} input vectors. "
            "The two do not belong together."
        )
    special = np.array([mask for _, one in kept for mask in one.special_tokens_mask], bool)
    offsets = np.array([pair for _, one in kept for pair in one.offsets], np.int64).reshape(-1, 2)
    offsets[special] = 0
    words = [_words_of(text, one.offsets, one.special_tokens_mask) for text, one in kept]
    return _Pieces(
        bounds,
        [token for _, one in kept for token in one.tokens],
        ids,
        np.array([kind for _, one in kept for kind in one.type_ids], np.int64),
        offsets,
        np.concatenate(words) if words else np.zeros(0, np.int64),
        special,
    )


def _words_of(text: str, offsets: Sequence[tuple[int, int]], special: Sequence[int]) -> Ints:
    """The word of each token: that of its first character that is no blank."""
    numbers = word_numbers(text)
    found = np.full(len(offsets), -1, np.int64)
    for place, (start, end) in enumerate(offsets):
        inside = numbers[start:end]
        if not special[place] and (inside >= 0).any():
            found[place] = inside[inside >= 0][0]
    return found


def _fits(encoder: Encoder, pieces: _Pieces, layers: int, keep: str, attention: bool, folder: Path | None) -> None:
    """Refuses what would take more than half of the memory, or more than there is on the folder's disk."""
    count = int(pieces.bounds[-1])
    size = layers * count * encoder.dimensions * (4 if keep == "float32" else 2)
    if folder is not None:
        near = next(path for path in folder.absolute().parents if path.exists())
        free = shutil.disk_usage(near).free
        if size > free:
            raise EncoderError(
                f"The vectors of {count:,} tokens would take {size / 2**30:.1f} GB; {free / 2**30:.1f} GB are free on "
                "this disk. Take fewer sentences or fewer layers."
            )
        return
    if attention:
        lengths = np.diff(pieces.bounds).astype(np.float64)
        size += int(4 * encoder.depth * _heads(encoder.network) * (lengths**2).sum())
    room = _SHARE_OF_MEMORY * memory()
    if size > room:
        raise EncoderError(
            f"The vectors of {count:,} tokens would take {size / 2**30:.1f} GB; {room / 2**30:.1f} GB may be used "
            "here. Take fewer sentences or fewer layers, or write them to a folder."
        )


def _windows(encoder: Encoder, pieces: _Pieces) -> tuple[list[_Window], tuple[int, ...]]:
    """What is read at once, and the sentences that were divided for it."""
    found, divided = [], []
    for number in range(len(pieces.bounds) - 1):
        start, end = int(pieces.bounds[number]), int(pieces.bounds[number + 1])
        if end == start:
            continue
        if end - start <= encoder.limit:
            every = np.arange(end - start)
            found.append(_Window(pieces.ids[start:end], pieces.kinds[start:end], every, start + every))
        else:
            divided.append(number)
            found += _divided(encoder.limit, pieces, start, end)
    return found, tuple(divided)


def _divided(limit: int, pieces: _Pieces, start: int, end: int) -> Iterator[_Window]:
    """The windows of a sentence that is too long, each within the model's frame of special tokens."""
    special = pieces.special[start:end]
    content = np.flatnonzero(~special)
    before, after = int(content[0]), int(len(special) - 1 - content[-1])
    inner = end - start - before - after
    room = limit - before - after
    starts = window_starts(inner, room)
    for at, first in enumerate(starts):
        low, high = most_central(starts, room, at, inner)
        frame = np.concatenate(
            [np.arange(before), before + np.arange(first, first + room), end - start - after + np.arange(after)]
        )
        keep = np.arange(low - first, high - first) + before
        if at == 0:
            keep = np.concatenate([np.arange(before), keep])
        if at == len(starts) - 1:
            keep = np.concatenate([keep, before + room + np.arange(after)])
        yield _Window(pieces.ids[start:end][frame], pieces.kinds[start:end][frame], keep, start + frame[keep])


def window_starts(count: int, room: int) -> list[int]:
    """Where windows of `room` tokens begin so that they cover `count` tokens and overlap by half or more."""
    starts = list(range(0, count - room, max(1, room // 2)))
    return [*starts, count - room]


def most_central(starts: Sequence[int], room: int, at: int, count: int) -> tuple[int, int]:
    """From which token to which a window has the one farthest from its ends: halfway into each overlap."""
    low = 0 if at == 0 else (starts[at] + starts[at - 1] + room) // 2
    high = count if at == len(starts) - 1 else (starts[at + 1] + starts[at] + room) // 2
    return low, high


def _batches(windows: Sequence[_Window]) -> list[list[int]]:
    """Windows that are read together, the longest first; beyond half a batch of one length."""
    lengths = [len(window.ids) for window in windows]
    found: list[list[int]] = []
    for number in sorted(range(len(windows)), key=lambda number: -lengths[number]):
        longest = lengths[found[-1][0]] if found else 0
        size = (len(found[-1]) + 1) * longest if found else 0
        if found and (size <= TOKENS_AT_ONCE // 2 or (size <= TOKENS_AT_ONCE and lengths[number] == longest)):
            found[-1].append(number)
        else:
            found.append([number])
    return found


def _run(network: Any, encoder: Encoder, batch: Sequence[_Window], attention: bool) -> Any:
    """The network's output for a batch, padded at the right, where a causal model does not see it either."""
    import torch

    longest = max(len(window.ids) for window in batch)
    ids = np.full((len(batch), longest), encoder.tokenizer.pad_token_id or 0, np.int64)
    mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
    for row, window in enumerate(batch):
        ids[row, : len(window.ids)] = window.ids
        kinds[row, : len(window.ids)] = window.kinds
        mask[row, : len(window.ids)] = 1
    given = {"input_ids": ids} if mask.all() else {"input_ids": ids, "attention_mask": mask}
    taken = inspect.signature(network.forward).parameters
    if "token_type_ids" in taken and kinds.any():
        given["token_type_ids"] = kinds
    extra = {"use_cache": False} if "use_cache" in taken else {}
    tensors = {name: torch.from_numpy(array).to(network.device) for name, array in given.items()}
    return network(**tensors, output_hidden_states=True, output_attentions=attention, return_dict=True, **extra)


def _places(batch: Sequence[_Window]) -> Ints:
    """Where the kept tokens of a batch lie in its flattened states."""
    longest = max(len(window.ids) for window in batch)
    return np.concatenate([row * longest + window.kept for row, window in enumerate(batch)])


def _keep_attention(weights: list[Any], found: Sequence[Any], batch: Sequence[_Window], bounds: Ints) -> None:
    for row, window in enumerate(batch):
        number = int(np.searchsorted(bounds, window.rows[0], "right")) - 1
        t = len(window.ids)
        weights[number] = np.stack([layer[row, :, :t, :t].float().cpu().numpy() for layer in found])


@beside
def _moved(network: Any, dtype: str, device: str) -> Any:
    """The network in that type on that device, a copy.

    Raises:
        OptionError: There is no such device.
    """
    import torch

    try:
        place = torch.device(device)
        if (dtype, place.type) == ("float32", "cpu"):
            return _packed(network)
        return copy.deepcopy(network).to(place, getattr(torch, dtype))
    except (RuntimeError, AssertionError) as error:
        raise OptionError(f"device is {device!r}, which cannot be used here ({_first_line(error)}).") from None


def _packed(network: Any) -> Any:
    """A copy whose linear layers have oneDNN's order of the weights and add the bias at once, still in float32.

    Other weights are shared. Where torch has no such operation, a copy of the outside alone.
    """
    import torch

    try:
        reordered, product = torch.ops.mkldnn._reorder_linear_weight, torch.ops.mkldnn._linear_pointwise
        found = copy.deepcopy(network, {id(each): each for each in network.parameters()})
        with torch.inference_mode():
            for layer in found.modules():
                if type(layer) is torch.nn.Linear:
                    bias = None if layer.bias is None else layer.bias.detach()
                    weights = reordered(layer.weight.detach(), TOKENS_AT_ONCE)
                    layer.__dict__["forward"] = partial(_product, product, weights, bias)
        return found
    except (AttributeError, RuntimeError):
        return copy.copy(network)


def _product(product: Callable[..., Any], weights: Any, bias: Any, rows: Any) -> Any:
    return product(rows, weights, bias, "none", [], "")


def _heads(network: Any) -> int:
    return int(getattr(network.config, "num_attention_heads", 1))


@contextlib.contextmanager
def attending(network: Any, wanted: bool) -> Iterator[None]:
    """The plain form of attention, which alone keeps its weights, where they are wanted."""
    before = network.config._attn_implementation
    if wanted:
        network.set_attn_implementation("eager")
    try:
        yield
    finally:
        if wanted:
            network.set_attn_implementation(before)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' own bars and reports: what is wrong is said by us."""
    from transformers.utils import logging as logs

    logging: Any = logs  # without types
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _origin(encoder: Encoder, dtype: str, keep: str) -> Origin:
    parameters = {"model": encoder.name, "kind": encoder.kind, "dtype": dtype, "kept as": keep}
    versions = {name: version(name) for name in ("torch", "transformers", "tokenizers")}
    return Origin("encoder", encoder.name, "none", parameters, encoder.checksum, versions, encoder.note)


def checksum_of(files: Sequence[Path]) -> str:
    """SHA-256 of some files, one after the other."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(2**20):
                digest.update(block)
    return digest.hexdigest()


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
