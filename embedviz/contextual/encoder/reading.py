"""Sentences in, the hidden states of every layer out."""

from __future__ import annotations

import contextlib
import copy
import inspect
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.contextual.encoder.loading import (
    Encoder,
    EncoderError,
    cached_per_model,
    first_line,
    load,
    quiet,
)
from embedviz.contextual.encoder.windows import TOKENS_AT_ONCE, Pieces, Window, batches, tokenized, windows
from embedviz.core.device import memory, torch_threads
from embedviz.core.hidden import LAYERS, HiddenStates, open_states, write_beside
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints, Origin, folder_writer, refuse_existing

DTYPES = ("float32", "bfloat16", "float16")
KEPT_AS = ("float32", "float16")
LONGEST = 200_000
"""Characters of a sentence."""
_SHARE_OF_MEMORY = 0.5


def encode(
    model: Encoder | str | Path,
    sentences: Sequence[str],
    *,
    layers: str | Sequence[int] = "all",
    dtype: str = "float32",
    keep: str = "float32",
    device: str = "cpu",
    out: str | Path | None = None,
    report: Report | None = None,
) -> HiddenStates:
    """Return the hidden states of some sentences.

    Sentences of like length are read together; one that is too long for the model is read in windows that overlap by
    half, and each of its tokens has the vector of the window in which it is most central.

    Args:
        model: What `load` gives, or a folder, or `builtin`.
        layers: The numbers of the layers to keep, or *all*.
        dtype: What the network computes in: *float32*; *bfloat16*, faster and good to three digits; or *float16*,
            finer, for numbers below 65,504.
        keep: What the layers are kept as: *float32*, or *float16* in half the memory.
        device: As torch names it: cpu, cuda, …
        out: A folder to write them to, for a corpus that memory does not hold; they are then mapped from it, and
            `hidden.open_states` opens it again. It appears whole or not at all.

    Raises:
        EncoderError: The model cannot be loaded, a sentence is far too long, or there is not enough memory, or room on
            the disk.
        OptionError: An unknown layer, dtype or device.
        FileExistsError: The folder is there already.
    """
    import torch

    folder = None if out is None else Path(out)
    if folder is not None:
        refuse_existing(folder)
    encoder = load(model)
    kept = _layers(layers, encoder.depth)
    _checked(sentences, dtype, keep)
    with quiet():
        network = _moved(encoder.network, dtype, device)
    pieces = tokenized(encoder, sentences)
    _fits(encoder, pieces, len(kept), keep, folder)
    parts, windowed = windows(encoder, pieces)
    shape = (len(kept), int(pieces.bounds[-1]), encoder.dimensions)

    def read(put: Put) -> None:
        with torch_threads(), torch.inference_mode():
            for chosen, found in _batchwise(network, encoder, parts, report):
                _put(encoder, chosen, found.hidden_states, kept, keep, put)

    def made(states: Any) -> HiddenStates:
        return HiddenStates(
            tuple(sentences),
            *pieces[:6],
            states,
            kept,
            encoder.depth,
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
    network: Any, encoder: Encoder, parts: Sequence[Window], report: Report | None
) -> Iterator[tuple[list[Window], Any]]:
    """Yield windows that were read together, and the network's output."""
    done, total = 0, sum(len(window.ids) for window in parts)
    for batch in batches(parts):
        tell(report, done / total, f"Reading sentences, {done:,} of {total:,} tokens")
        chosen = [parts[number] for number in batch]
        yield chosen, _run(network, encoder, chosen)
        done += sum(len(window.ids) for window in chosen)


def _put(encoder: Encoder, chosen: Sequence[Window], states: Any, kept: Sequence[int], keep: str, put: Put) -> None:
    """Hand on the kept rows of a batch, layer by layer.

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
    """Open a new .npy file of that shape, and give the way to write rows of it in any order.

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


def _fits(encoder: Encoder, pieces: Pieces, layers: int, keep: str, folder: Path | None) -> None:
    """Refuse what would take more than half of the memory, or more than there is on the folder's disk."""
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
    room = _SHARE_OF_MEMORY * memory()
    if size > room:
        raise EncoderError(
            f"The vectors of {count:,} tokens would take {size / 2**30:.1f} GB; {room / 2**30:.1f} GB may be used "
            "here. Take fewer sentences or fewer layers, or write them to a folder."
        )


def _run(network: Any, encoder: Encoder, batch: Sequence[Window]) -> Any:
    """Return the network's output for a batch, padded at the right, where a causal model does not see it either."""
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
    return network(**tensors, output_hidden_states=True, return_dict=True, **extra)


def _places(batch: Sequence[Window]) -> Ints:
    """Return where the kept tokens of a batch lie in its flattened states."""
    longest = max(len(window.ids) for window in batch)
    return np.concatenate([row * longest + window.kept for row, window in enumerate(batch)])


@cached_per_model
def _moved(network: Any, dtype: str, device: str) -> Any:
    """Return a copy of the network in that type on that device.

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
        raise OptionError(f"device is {device!r}, which cannot be used here ({first_line(error)}).") from None


def _packed(network: Any) -> Any:
    """Return a copy whose linear layers have oneDNN's order of the weights and add the bias at once, in float32.

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


@contextlib.contextmanager
def attending(network: Any) -> Iterator[None]:
    """Use the plain form of attention, which alone keeps its weights."""
    before = network.config._attn_implementation
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(before)


def _origin(encoder: Encoder, dtype: str, keep: str) -> Origin:
    parameters = {"model": encoder.name, "kind": encoder.kind, "dtype": dtype, "kept as": keep}
    versions = {name: version(name) for name in ("torch", "transformers", "tokenizers")}
    return Origin("encoder", encoder.name, "none", parameters, encoder.checksum, versions, encoder.note)
