"""Load a text model of Hugging Face's transformers, after checks of its configuration and its file formats."""

import contextlib
import hashlib
import inspect
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar, cast

from embedviz.contextual.elmo import model as elmo
from embedviz.contextual.encoder.folder import (
    CLIP,
    CONFIG,
    MODULES,
    EncoderError,
    check,
    configuration,
    files_of,
    network_folder,
    parsed,
)
from embedviz.core import builtin
from embedviz.core.phrases import first_line as first_line
from embedviz.core.phrases import joined

BUILTIN = "builtin"
_SENTENCEPIECE = ("sentencepiece.bpe.model", "spiece.model", "sentencepiece.model", "tokenizer.model")
_NO_LIMIT = 512  # tokens, if neither the model nor the tokenizer states a limit
_FEWEST_TOKENS = 8  # minimum limit: a window has room for special tokens and some others


_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Encoder:
    """A loaded model.

    Attributes:
        name: Name of its folder; all-MiniLM-L6-v2 for the built-in model.
        kind: The architecture, as the configuration names it: bert, roberta, gpt2, …
        depth: Number of layers, L; layer 0 is the output of the embeddings.
        dimensions: Size of a hidden state, d.
        limit: Maximum number of tokens in one input, special tokens included.
        checksum: SHA-256 of its weights.
        pooling: The pooling that its authors use, as `pooling_of` returns it.
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
        """Return whether this is the model that comes with the program."""
        return self.checksum == builtin.CHECKSUM

    @property
    def note(self) -> str:
        """Say that the built-in model is a sentence encoder, not raw BERT; empty for any other model."""
        return BUILTIN_NOTE if self.built_in else ""


BUILTIN_NOTE = "all-MiniLM-L6-v2 is a sentence encoder, not raw BERT; BERT may give other results."


def cached_per_model(function: _Function) -> _Function:
    """Cache the last two results of a function for each model, until the model is freed.

    The model is the function's first argument. A result must not refer to the model: such a reference would keep the
    model in memory.
    """
    held: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()

    @wraps(function)
    def cached(model: Any, *rest: Any) -> Any:
        if model not in held:
            itself = weakref.ref(model)
            held[model] = lru_cache(maxsize=2)(lambda *given: function(itself(), *given))
        return held[model](*rest)

    cached.cache_clear = held.clear  # type: ignore[attr-defined]  # the name that lru_cache uses
    return cast("_Function", cached)


def load(folder: Encoder | str | Path = BUILTIN) -> Encoder:
    """Return the model of a folder, or the built-in model. The last two models stay in memory.

    Args:
        folder: A folder, or `BUILTIN`. An `Encoder` is returned unchanged.

    Raises:
        EncoderError: The folder has no configuration, no safetensors or no fast tokenizer, or the architecture is
            not supported.
        SpaceError: The built-in model is missing, or its checksum is not the published one.
    """
    if isinstance(folder, Encoder):
        return folder
    if str(folder) == BUILTIN:
        return _loaded(str(builtin.model_folder()), (), True)
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise EncoderError(f"There is no folder {folder}. A model is a folder with config.json, weights and tokenizer.")
    stamps = tuple(files_of(path))
    return _loaded(str(path.resolve()), stamps, False)


@lru_cache(maxsize=2)
def _loaded(folder: str, stamps: tuple[Any, ...], built_in: bool) -> Encoder:
    whole = Path(folder)
    path = network_folder(whole)
    config = configuration(path)  # first, so that an unsupported architecture is reported before missing weights
    kind = _kind(path, config)
    _, weights = check(path)
    if built_in:
        builtin.verify(weights[0])
    checksum = builtin.CHECKSUM if built_in else checksum_of(weights)
    with quiet():
        network, tokenizer = _read(path, config, kind, weights)
    name = "all-MiniLM-L6-v2" if built_in else whole.name
    settings = network.config
    limit = _limit(network, tokenizer)
    if limit < _FEWEST_TOKENS:
        raise EncoderError(f"{name} reads {limit} tokens at once, too few for a sentence. Take another model.")
    return Encoder(
        name,
        kind,
        int(settings.num_hidden_layers),
        int(settings.hidden_size),
        limit,
        checksum,
        network,
        tokenizer,
        pooling_of(whole),
    )


def _read(path: Path, config: dict[str, Any], kind: str, weights: Sequence[Path]) -> tuple[Any, Any]:
    """Return the network and the tokenizer of a folder, by transformers or, for ELMo, by this program's own reader."""
    if kind == elmo.KIND:
        from embedviz.contextual.elmo.folder import read_network

        return read_network(path, config, weights[0])
    tokenizer = fast_tokenizer(path)
    return _network(path, kind), tokenizer


def pooling_of(folder: str | Path) -> str:
    """Return the pooling that a model's authors use: mean, cls, max or another name of sentence-transformers.

    The name is read from the files of sentence-transformers in the folder. Several names are joined by a plus. The
    result is "" if the folder names no pooling.
    """
    path = builtin.model_folder() if str(folder) == BUILTIN else Path(folder).expanduser()
    place = "1_Pooling"
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError, StopIteration):
        modules = parsed(path / MODULES)
        place = next(Path(one["path"]).name for one in modules if one["type"].endswith("Pooling"))
    try:
        settings = parsed(path / place / CONFIG)
        modes = settings.get("pooling_mode") or [
            name for name in settings if name.startswith("pooling_mode_") and settings[name]
        ]
    except (OSError, ValueError, AttributeError):
        return ""
    names = [modes] if isinstance(modes, str) else modes if isinstance(modes, list) else []
    return "+".join(
        str(name).removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for name in names
    )


def _kind(path: Path, config: dict[str, Any]) -> str:
    """Return the name of the architecture in a configuration, without loading the model.

    Raises:
        EncoderError: The architecture is unknown or is not a text model with one stack of layers, or the folder holds
            only an adapter.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = config.get("model_type")
    if kind == elmo.KIND:
        return elmo.KIND
    if not isinstance(kind, str) or kind not in CONFIG_MAPPING:
        own = " It brings its own code; this program never runs such code." if "auto_map" in config else ""
        raise EncoderError(
            f"{path.name} has the architecture {str(kind)[:80]!r}. transformers {version('transformers')} does not "
            f"know it.{own} Take BERT, DistilBERT, RoBERTa, GPT-2 or another text model."
        )
    if kind == CLIP:
        raise EncoderError(
            f"{path.name} is a CLIP: it reads pictures and sentences. Use it in the lesson Pictures and sentences."
        )
    if config.get("is_encoder_decoder"):
        raise EncoderError(f"{path.name} ({kind}) has an encoder and a decoder. Take a model with one stack.")
    if (path / "adapter_config.json").exists():
        raise EncoderError(f"{path.name} is an adapter without the weights of its model. Merge the two first.")
    return kind


def fast_tokenizer(path: Path) -> Any:
    """Return the tokenizer of a folder.

    Raises:
        EncoderError: The folder has no readable tokenizer, or the tokenizer does not give the characters of its tokens.
    """
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False, use_fast=True)
    except Exception as error:  # of a parser, a file or a missing package: a damaged folder may raise any error
        sentence = _pieces_alone(path) or f"The tokenizer of {path.name} cannot be read ({first_line(error)})."
        raise EncoderError(sentence) from None
    if not found.is_fast or not (vocabulary := found.backend_tokenizer.get_vocab_size()):
        raise EncoderError(
            _pieces_alone(path)
            or f"{path.name} has no fast tokenizer. Only a fast tokenizer gives the characters of each token. "
            "Add tokenizer.json."
        )
    if vocabulary <= len(found.all_special_tokens):
        sentence = f"The tokenizer of {path.name} has no vocabulary. Add tokenizer.json or vocab.txt."
        raise EncoderError(_pieces_alone(path) or sentence)
    found.backend_tokenizer.no_truncation()
    found.backend_tokenizer.no_padding()
    return found


def _pieces_alone(path: Path) -> str:
    """Explain what to do if the only tokenizer of a folder is a SentencePiece model; empty for any other folder."""
    pieces = next((name for name in _SENTENCEPIECE if (path / name).is_file()), "")
    if not pieces or any((path / name).is_file() for name in ("tokenizer.json", "vocab.txt", "vocab.json")):
        return ""
    lacks = [name for name in ("sentencepiece", "protobuf") if not _installed(name)]
    cure = f"Install {joined(lacks)} and open the folder again, or" if lacks else "Take another model, or"
    return (
        f"The tokenizer of {path.name} is {pieces} alone, a SentencePiece model that cannot be read here. {cure} add "
        "tokenizer.json: AutoTokenizer.from_pretrained(folder).save_pretrained(folder) writes it where both are "
        "installed."
    )


def _installed(distribution: str) -> bool:
    try:
        return bool(version(distribution))
    except PackageNotFoundError:
        return False


def pretrained(path: Path, model: Any, kind: str, optional: str = "") -> Any:
    """Return a network of transformers from a folder, in float32. Nothing is downloaded; code in the folder is not run.

    Args:
        model: A class of transformers.
        kind: Name of the architecture in error messages.
        optional: Prefix of the tensors that the weights may lack; "" for none.

    Raises:
        EncoderError: The folder cannot be loaded, or its weights do not fit its configuration.
    """
    import torch

    try:
        network, loading = model.from_pretrained(
            path,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as error:  # a damaged folder may raise any error
        raise EncoderError(f"{path.name} ({kind}) cannot be loaded: {first_line(error)}.") from None
    missing = sorted(key for key in loading["missing_keys"] if not (optional and key.startswith(optional)))
    if missing:
        raise EncoderError(
            f"The weights of {path.name} lack {len(missing):,} tensors of its configuration, first {missing[0]}. "
            "Weights and configuration do not belong together."
        )
    return network


def _network(path: Path, kind: str) -> Any:
    """Return the network of a folder in evaluation mode, in float32.

    Raises:
        EncoderError: The network is no text model, or its weights do not fit its configuration.
    """
    from transformers import AutoModel

    network = pretrained(path, AutoModel, kind, optional="pooler.")
    settings = network.config
    text = "input_ids" in inspect.signature(network.forward).parameters
    if not text or not all(
        isinstance(size := getattr(settings, key, None), int) and size > 0
        for key in ("num_hidden_layers", "hidden_size")
    ):
        raise EncoderError(f"{path.name} ({kind}) is not a text model with layers of equal size.")
    return network.eval()


def _limit(network: Any, tokenizer: Any) -> int:
    """Return the maximum number of tokens in one input; positions that RoBERTa reserves for padding do not count."""
    found = getattr(network.config, "max_position_embeddings", None)
    limits = [found] if isinstance(found, int) and found > 0 else []
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    if limits and padding is not None:
        limits = [limits[0] - padding - 1]
    stated = tokenizer.model_max_length
    if isinstance(stated, int | float) and 0 < stated < 1_000_000:
        limits.append(int(stated))
    return min(limits, default=_NO_LIMIT)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers inside the block: no progress bars, and of its log messages only errors."""
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


def checksum_of(files: Sequence[Path]) -> str:
    """Return one SHA-256 over the contents of all files, in the given order."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(2**20):
                digest.update(block)
    return digest.hexdigest()
