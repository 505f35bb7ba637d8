"""Use a trained ELMo as an encoder, or save it as an installed encoder."""

import hashlib
from pathlib import Path

from embedviz.contextual.elmo.folder import VOCABULARY, filled_network
from embedviz.contextual.elmo.model import KIND, LAYERS, LIMIT, tokenizer_of
from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.contextual.encoder import Encoder
from embedviz.contextual.encoder.folder import CONFIG, WEIGHTS
from embedviz.contextual.models.cards import ModelCard, card, new_folder
from embedviz.core.store import FOLDER_FORMAT, folder_writer, write_card

TRAINING = "training.json"
"""Name of the file with the settings of the training run and its perplexities."""


def encoder_of(trained: TrainedElmo) -> Encoder:
    """Return a trained ELMo as an `Encoder`, which `encode` and the studies of senses and layers take."""
    import torch

    digest = hashlib.sha256("\n".join(trained.vocabulary).encode("utf-8", "replace"))
    for name, array in sorted(trained.weights.items()):
        digest.update(name.encode() + array.tobytes())
    tensors = {name: torch.from_numpy(array.copy()) for name, array in trained.weights.items()}
    title, size = f"ELMo, {trained.texts}", trained.settings.size
    network = filled_network(title, trained.vocabulary, size, tensors)
    tokenizer = tokenizer_of(trained.vocabulary)
    return Encoder(title, KIND, LAYERS, 2 * size, LIMIT, digest.hexdigest(), network, tokenizer)


def write_elmo(trained: TrainedElmo, folder: Path) -> None:
    """Write a trained ELMo to a new folder: weights as safetensors, the rest as JSON. `encoder.load` opens it.

    Raises:
        FileExistsError: The folder exists.
    """
    from safetensors.numpy import save_file

    config = {
        "model_type": KIND,
        "num_hidden_layers": LAYERS,
        "hidden_size": 2 * trained.settings.size,
        "num_attention_heads": 0,
        "vocab_size": len(trained.vocabulary),
    }
    with folder_writer(folder) as draft:
        write_card(draft, config, CONFIG)
        write_card(draft, {"format": FOLDER_FORMAT, "vocabulary": trained.vocabulary}, VOCABULARY)
        write_card(draft, trained.card(), TRAINING)
        save_file(dict(trained.weights), str(draft / WEIGHTS))


def save(trained: TrainedElmo, name: str) -> ModelCard:
    """Save a trained ELMo as an installed encoder, and return its `ModelCard`.

    Raises:
        OptionError: The name is taken or not allowed, or the server is read-only.
    """
    folder = new_folder(name)
    write_elmo(trained, folder)
    return card(folder.name)
