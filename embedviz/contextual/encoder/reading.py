"""Encode sentences: the hidden states of every layer."""

import contextlib
import copy
import inspect
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.contextual.encoder.folder import EncoderError
from embedviz.contextual.encoder.loading import (
    Encoder,
    cached_per_model,
    first_line,
    load,
    quiet,
)
from embedviz.contextual.encoder.windows import TOKENS_AT_ONCE, TokenTable, Window, batches, tokenized, windows
from embedviz.core import graphics_card
from embedviz.core.device import device_in_use, memory, threads, torch_threads
from embedviz.core.hidden import LAYERS, HiddenStates, open_states, write_without_layers
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints, Origin, folder_writer, refuse_existing

DTYPES = ("auto", "float32", "bfloat16", "float16")
STORED_AS = ("float32", "float16")
LONGEST = 200_000
"""Maximum length of a sentence, in characters."""
_SHARE_OF_MEMORY = 0.5
_PAYS = 3e10  # weights × tokens: with more, a graphics card is faster; a CPU then takes half a second (an estimate)
_MOST_AT_ONCE = 2**16  # maximum tokens of a batch on a card
_INSIDE = 16  # vectors per token that a layer holds besides the hidden states (a generous estimate)


class OverflowedError(EncoderError):
    """Some vectors have values that are infinite or not numbers."""


def encode(
    model: Encoder | str | Path,
    sentences: Sequence[str],
    *,
    layers: str | Sequence[int] = "all",
    dtype: str = "auto",
    keep: str = "float32",
    device: str = "auto",
    out: str | Path | None = None,
    report: Report | None = None,
) -> HiddenStates:
    """Return the hidden states of some sentences.

    Sentences of similar length are read together. A sentence too long for the model is read in windows that overlap by
    half or more. Each token takes its vector from the window in which it is most central.

    Args:
        model: A result of `load`, a folder, or `builtin`.
        layers: The numbers of the layers to keep, or *all*.
        dtype: Number type of the computation: *float32*; *bfloat16*, faster, with 2 to 3 digits; *float16*, with 3
            digits, for numbers up to 65,504. *auto* is float32 on the CPU. On a card it is float16, or float32 if
            float16 overflows. A vector in float16 and its float32 vector have a cosine of at least 0.999.
        keep: Number type of the result: *float32*, or *float16* in half the memory.
        device: cpu, cuda, cuda:1, mps, or *auto*: the device in `EMBEDVIZ_DEVICE`, else a graphics card for long texts
            and the CPU for short ones. If the memory of the card is too small, batches are made smaller; if that
            fails, the CPU reads everything.
        out: A new folder for a result that does not fit into memory. The result is memory-mapped from it, and
            `hidden.open_states` opens it again. The folder appears only when it is complete.

    Raises:
        EncoderError: The model cannot be loaded, a sentence is too long, the memory or the free disk space is too
            small, or vectors are not finite.
        OptionError: A layer, `dtype`, `keep` or device is unknown.
        FileExistsError: The folder `out` exists.
    """
    folder = None if out is None else Path(out)
    if folder is not None:
        refuse_existing(folder)
    encoder = load(model)
    stored = _layers(layers, encoder.depth)
    _checked(sentences, dtype, keep)
    pieces = tokenized(encoder, sentences)
    _fits(encoder, pieces, len(stored), keep, folder)
    parts, windowed = windows(encoder, pieces)
    shape = (len(stored), int(pieces.bounds[-1]), encoder.dimensions)

    def made(states: Any, kind: str, place: str) -> HiddenStates:
        origin = _origin(encoder, kind, keep, place)
        return HiddenStates(tuple(sentences), *pieces[:6], states, stored, encoder.depth, windowed, origin)

    def fill(place: str, put: Put) -> str:
        def take(chosen: list[Window], found: Any) -> None:
            _put(encoder, chosen, found, stored, keep, put)

        return _read(encoder, parts, dtype, place, take, report)

    def read(place: str) -> HiddenStates:
        if folder is None:
            states = np.empty(shape, keep)
            kind = fill(place, lambda at, rows, values: states.__setitem__((at, rows), values))
            return made(states, kind, place)
        with folder_writer(folder) as draft:
            with _row_writer(draft / LAYERS, shape, keep) as put:
                kind = fill(place, put)
            write_without_layers(draft, made(np.load(draft / LAYERS, mmap_mode="r"), kind, place))
        return open_states(folder)

    return graphics_card.on_card(read, named=device, pays=_weights(encoder.network) * shape[1] >= _PAYS, report=report)


Put = Callable[[int, Ints, Any], None]
"""A function that stores k vectors. Arguments: index of the layer among the kept layers; row of each vector in the
result, in any order, (k,); the vectors, (k, d)."""


def _read(
    encoder: Encoder,
    parts: Sequence[Window],
    dtype: str,
    place: str,
    take: Callable[[list[Window], Any], None],
    report: Report | None,
) -> str:
    """Read all windows on a device and pass each batch with its hidden states to `take`; return the dtype used."""
    import torch

    kinds = (dtype,) if dtype != "auto" else ("float32",) if place == "cpu" else ("float16", "float32")
    for kind in kinds:
        with quiet():
            network = _moved(encoder.network, kind, place)
        try:
            if place == "cpu" and _side_by_side(network, parts):
                _in_threads(network, encoder, parts, take, report)
                break
            with torch_threads(), torch.inference_mode():
                for chosen, found in _batchwise(network, encoder, parts, _tokens_at_once(encoder, kind, place), report):
                    take(chosen, found.hidden_states)
        except OverflowedError:
            if kind == kinds[-1]:
                raise
            continue
        break
    return kind


def _side_by_side(network: Any, parts: Sequence[Window]) -> bool:
    """Return whether to read batches in parallel.

    True if there is at least one batch per thread, and reading a batch does not change the network. Some kinds of RoPE
    change it: they adapt their frequencies to the length of the input.
    """
    keeps = any(getattr(each, "rope_type", "default") != "default" for each in network.modules())
    return threads() > 1 and len(batches(parts)) >= threads() and not keeps


def _in_threads(
    network: Any,
    encoder: Encoder,
    parts: Sequence[Window],
    take: Callable[[list[Window], Any], None],
    report: Report | None,
) -> None:
    """Compute the hidden states of batches in parallel, each batch in one thread on one core.

    So no core waits for another within a layer.

    Args:
        take: Receives the windows of a batch and their hidden states.
    """
    import torch

    def read(numbers: list[int]) -> int:
        torch.set_num_threads(1)
        chosen = [parts[number] for number in numbers]
        with torch.inference_mode():
            take(chosen, _run(network, encoder, chosen).hidden_states)
        return sum(len(window.ids) for window in chosen)

    done, total = 0, sum(len(window.ids) for window in parts)
    with torch_threads(1), ThreadPoolExecutor(threads()) as pool:
        waiting = [pool.submit(read, numbers) for numbers in batches(parts)]
        try:
            for each in waiting:
                tell(report, done / total, f"Reading sentences, {done:,} of {total:,} tokens")
                done += each.result()
        finally:
            for each in waiting:
                each.cancel()


def _tokens_at_once(encoder: Encoder, kind: str, place: str) -> int:
    """Return the maximum tokens of a batch. On a graphics card they should fit into half of its free memory."""
    if place == "cpu":
        return TOKENS_AT_ONCE
    token: int = encoder.dimensions * (encoder.depth + 1 + _INSIDE) * (4 if kind == "float32" else 2)
    return max(TOKENS_AT_ONCE, min(device_in_use(place).free // (2 * token), _MOST_AT_ONCE))


def _weights(network: Any) -> int:
    """Return the number of weights that each token is multiplied with: all except the input embeddings."""
    return int(sum(each.numel() for each in network.parameters())) - int(network.get_input_embeddings().weight.numel())


def _batchwise(
    network: Any, encoder: Encoder, parts: Sequence[Window], most: int, report: Report | None
) -> Iterator[tuple[list[Window], Any]]:
    """Yield each batch of windows with the output of the network; halve the batch size if memory runs out.

    Raises:
        RuntimeError: The memory of the card is too small for one window.
    """
    done, total = 0, sum(len(window.ids) for window in parts)
    left = batches(parts, most)[::-1]
    while left:
        tell(report, done / total, f"Reading sentences, {done:,} of {total:,} tokens")
        chosen = [parts[number] for number in left[-1]]
        try:
            found = _run(network, encoder, chosen)
        except RuntimeError as error:
            if len(chosen) == 1 or not graphics_card.out_of_memory(error):
                raise
            most = len(chosen) // 2 * len(chosen[0].ids)  # the longest comes first
            numbers = [number for batch in left for number in batch]
            smaller = batches([parts[number] for number in numbers], most)
            left = [[numbers[place] for place in batch] for batch in smaller[::-1]]
            continue
        yield chosen, found
        left.pop()
        done += sum(len(window.ids) for window in chosen)


def _put(encoder: Encoder, chosen: Sequence[Window], states: Any, stored: Sequence[int], keep: str, put: Put) -> None:
    """Pass the vectors of a batch to `put`, for each kept layer.

    Raises:
        OverflowedError: A vector has values that are not finite.
    """
    import torch

    rows = np.concatenate([window.rows for window in chosen])
    places = torch.from_numpy(_places(chosen))
    for at, number in enumerate(stored):
        state = states[number]
        flat = state.reshape(-1, state.shape[-1])[places.to(state.device)]
        with np.errstate(over="ignore"):
            values = flat.float().cpu().numpy().astype(keep, copy=False)
        if not np.isfinite(values).all():
            cure = " Keep them as float32." if keep == "float16" else ""
            raise OverflowedError(f"{encoder.name} gives vectors that are not numbers.{cure}")
        put(at, rows, values)


@contextlib.contextmanager
def _row_writer(path: Path, shape: tuple[int, int, int], keep: str) -> Iterator[Put]:
    """Open a new .npy file of this shape; yield a function that writes rows in any order.

    The file is not memory-mapped: mapped pages count as memory, and a full disk would kill the process.
    """
    _, count, dimensions = shape
    size, one_at_a_time = dimensions * np.dtype(keep).itemsize, threading.Lock()
    with path.open("wb") as file:
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(keep)), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        start = file.tell()
        file.truncate(start + shape[0] * count * size)

        def put(at: int, rows: Ints, values: Any) -> None:
            for run in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rows) != 1) + 1):
                if len(run):
                    with one_at_a_time:
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
    for name, value, known in (("dtype", dtype, DTYPES), ("keep", keep, STORED_AS)):
        if value not in known:
            raise OptionError(f"{name} is {value!r}; it may be: {', '.join(known)}.")
    for number, sentence in enumerate(sentences, 1):
        if len(sentence) > LONGEST:
            raise EncoderError(
                f"Sentence {number:,} has {len(sentence):,} characters; at most {LONGEST:,} are read. Divide it."
            )


def _fits(encoder: Encoder, pieces: TokenTable, layers: int, keep: str, folder: Path | None) -> None:
    """Refuse a result larger than half of the memory or, if written to a folder, than the free disk space."""
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
    """Return the output of the network for a batch.

    Shorter windows are padded on the right, because a token of a causal model sees only the tokens on its left.
    """
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
    """Return the rows of the tokens whose vectors are used, in the flattened hidden states of a batch, (k,)."""
    longest = max(len(window.ids) for window in batch)
    return np.concatenate([row * longest + window.places for row, window in enumerate(batch)])


@cached_per_model
def _moved(network: Any, dtype: str, device: str) -> Any:
    """Return a copy of the network with this dtype on this device.

    Raises:
        OptionError: The device does not exist.
    """
    import torch

    try:
        place = torch.device(device)
        if (dtype, place.type) == ("float32", "cpu"):
            return _packed(network)
        return copy.deepcopy(network).to(place, getattr(torch, dtype))
    except (RuntimeError, AssertionError) as error:
        if graphics_card.out_of_memory(error):
            raise
        raise OptionError(f"device is {device!r}, which cannot be used here ({first_line(error)}).") from None


def _packed(network: Any) -> Any:
    """Return a float32 copy of a network with faster linear layers, by oneDNN: reordered weights, bias added at once.

    The copy shares all other weights with the network. If torch lacks oneDNN's operations, return a shallow copy.
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
    """Use the eager implementation of attention inside the block; only this one returns the attention weights."""
    before = network.config._attn_implementation
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(before)


def _origin(encoder: Encoder, dtype: str, keep: str, place: str) -> Origin:
    parameters = {"model": encoder.name, "kind": encoder.kind, "dtype": dtype, "kept as": keep}
    if place != "cpu":
        parameters["device"] = place
    return Origin("encoder", encoder.name, "none", parameters, encoder.checksum, versions(), encoder.note)


def versions() -> dict[str, str]:
    """Return the versions of torch, transformers and tokenizers."""
    return {name: version(name) for name in ("torch", "transformers", "tokenizers")}
