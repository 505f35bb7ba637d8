"""ELMo as an encoder: of a training, and of a folder with safetensors and JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from embedviz.contextual.elmo.model import (
    KIND,
    LAYERS,
    LIMIT,
    LONGEST_WORD,
    MOST_SIZE,
    MOST_WORDS,
    SPECIAL,
    new_network,
    tokenizer_of,
)
from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.contextual.encoder import Encoder, EncoderError
from embedviz.contextual.encoder.folder import CONFIG, WEIGHTS, check
from embedviz.contextual.encoder.loading import checksum_of
from embedviz.core.store import FOLDER_FORMAT, folder_writer, read_card, whole, write_card

VOCABULARY, TRAINING = "vocabulary.json", "training.json"
"""Files of a folder: the tokens in their order, and the settings and perplexities."""
_SAYS = "is not a whole ELMo"


def encoder_of(trained: TrainedElmo) -> Encoder:
    """Return a trained ELMo as an encoder, for `encode`, Senses and Layers."""
    import torch

    digest = hashlib.sha256("\n".join(trained.vocabulary).encode("utf-8", "replace"))
    for name, array in sorted(trained.weights.items()):
        digest.update(name.encode() + array.tobytes())
    tensors = {name: torch.from_numpy(array.copy()) for name, array in trained.weights.items()}
    return _encoder(f"ELMo, {trained.texts}", trained.vocabulary, trained.settings.size, tensors, digest.hexdigest())


def write_elmo(trained: TrainedElmo, folder: Path) -> None:
    """Write a trained ELMo to a new folder: weights as safetensors, all else as JSON.

    Raises:
        FileExistsError: The folder exists.
    """
    from safetensors.numpy import save_file

    config = {
        "model_type": KIND,
        "num_hidden_layers": LAYERS,
        "hidden_size": 2 * trained.settings.size,
        "vocab_size": len(trained.vocabulary),
    }
    with folder_writer(folder) as draft:
        write_card(draft, config, CONFIG)
        write_card(draft, {"format": FOLDER_FORMAT, "vocabulary": trained.vocabulary}, VOCABULARY)
        write_card(draft, trained.card(), TRAINING)
        save_file(dict(trained.weights), str(draft / WEIGHTS))


def open_elmo(folder: str | Path) -> Encoder:
    """Return the encoder of a folder that `write_elmo` wrote.

    Raises:
        EncoderError: A file is missing, damaged or too large, or the files do not belong together.
    """
    from safetensors.torch import load_file

    path = Path(folder)
    with whole(path, _SAYS, EncoderError):
        config, files = check(path)
        size, rows = int(config["hidden_size"]) // 2, int(config["vocab_size"])
        vocabulary = read_card(path, VOCABULARY)["vocabulary"]
        if config["model_type"] != KIND or not (0 < size <= MOST_SIZE and _readable(vocabulary, rows)):
            raise EncoderError("its vocabulary or its sizes cannot be read")
        tensors = load_file(str(files[0]))
        return _encoder(path.name, vocabulary, size, tensors, checksum_of([*files, path / VOCABULARY]))


def _readable(vocabulary: Any, rows: int) -> bool:
    """Return whether a vocabulary is a list of so many different tokens of allowed length, the special ones first."""
    if not isinstance(vocabulary, list) or not len(SPECIAL) < len(vocabulary) == rows <= len(SPECIAL) + MOST_WORDS:
        return False
    words = all(isinstance(token, str) and 0 < len(token) <= LONGEST_WORD for token in vocabulary)
    return words and len(set(vocabulary)) == rows and tuple(vocabulary[: len(SPECIAL)]) == SPECIAL


def _encoder(name: str, vocabulary: Sequence[str], size: int, tensors: Mapping[str, Any], checksum: str) -> Encoder:
    """Return the encoder with these weights.

    Raises:
        EncoderError: The weights have other names or shapes.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        network = new_network(len(vocabulary), size)
    try:
        network.load_state_dict(dict(tensors))
    except RuntimeError:
        raise EncoderError(f"The weights of {name} do not fit its vocabulary and its sizes.") from None
    network.eval().requires_grad_(False)
    return Encoder(name, KIND, LAYERS, 2 * size, LIMIT, checksum, network, tokenizer_of(vocabulary))
