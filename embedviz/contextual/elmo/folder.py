"""Load the network and the tokenizer from the folder of an ELMo."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from embedviz.contextual.elmo.model import (
    LONGEST_WORD,
    MOST_SIZE,
    MOST_WORDS,
    SPECIAL,
    new_network,
    tokenizer_of,
)
from embedviz.contextual.encoder.folder import EncoderError
from embedviz.core.store import read_card, whole

VOCABULARY = "vocabulary.json"
"""Name of the file with all tokens, in the order of their numbers."""
_SAYS = "is not a whole ELMo"


def read_network(folder: Path, config: Mapping[str, Any], weights: Path) -> tuple[Any, Any]:
    """Return the network of a folder, in evaluation mode, and the tokenizer.

    Args:
        config: The folder's configuration, already checked.
        weights: The folder's safetensors file.

    Raises:
        EncoderError: The vocabulary is missing, damaged or too large, or the files do not belong together.
    """
    from safetensors.torch import load_file

    with whole(folder, _SAYS, EncoderError):
        size, rows = int(config["hidden_size"]) // 2, int(config["vocab_size"])
        vocabulary = read_card(folder, VOCABULARY)["vocabulary"]
        if not (0 < size <= MOST_SIZE and _readable(vocabulary, rows)):
            raise EncoderError("its vocabulary or its sizes cannot be read")
        return filled_network(folder.name, vocabulary, size, load_file(str(weights))), tokenizer_of(vocabulary)


def filled_network(name: str, vocabulary: Sequence[str], size: int, tensors: Mapping[str, Any]) -> Any:
    """Return a network with the weights `tensors`, in evaluation mode.

    Args:
        name: Name of the encoder in error messages.
        size: Dimensions of a token embedding and of each direction.

    Raises:
        EncoderError: The names or the shapes of `tensors` are not those of the network.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        network = new_network(len(vocabulary), size)
    try:
        network.load_state_dict(dict(tensors))
    except RuntimeError:
        raise EncoderError(f"The weights of {name} do not fit its vocabulary and its sizes.") from None
    return network.eval().requires_grad_(False)


def _readable(vocabulary: Any, rows: int) -> bool:
    """Return whether a vocabulary is a list of `rows` different tokens of allowed length, special tokens first."""
    if not isinstance(vocabulary, list) or not len(SPECIAL) < len(vocabulary) == rows <= len(SPECIAL) + MOST_WORDS:
        return False
    words = all(isinstance(token, str) and 0 < len(token) <= LONGEST_WORD for token in vocabulary)
    return words and len(set(vocabulary)) == rows and tuple(vocabulary[: len(SPECIAL)]) == SPECIAL
