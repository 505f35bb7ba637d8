"""A tuned encoder: what the tuning changed, and how to save it as a model folder."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from embedviz.contextual.encoder import BUILTIN, load, network_folder
from embedviz.contextual.encoder.folder import CONFIG, MODULES, WEIGHTS
from embedviz.contextual.models.cards import ModelCard, card, new_folder
from embedviz.contextual.models.hub import TOKENIZER_FILES
from embedviz.contextual.tuning.changes import LayerChange, PairsChange, WordsChange, changes_in_words
from embedviz.contextual.tuning.simcse import TuningSettings, batch_sizes
from embedviz.core.builtin import model_folder
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, number

TUNING = "tuning.json"
"""Name of the file with the settings and results of a tuning, in the folder of a saved encoder."""


@dataclass(frozen=True, eq=False)
class TunedEncoder:
    """An encoder after its tuning.

    Attributes:
        model: Name of the encoder that was tuned; `checksum`, `pooling`: as in `Encoder`.
        folder: Its folder or *builtin*; empty if `tune` was given an `Encoder`.
        texts: Name of the texts; `of`: number of different sentences in the texts.
        sentences, held_out: Number of sentences to tune on, and to measure layers on.
        losses: InfoNCE of each step, in nats.
        layers, words, pairs: Changes of each layer's mean cosine, of word neighbors, and of the scored sentence pairs.
        weights: Read-only arrays of the tuned layers, by their names in the network.
        seconds: Duration of tuning and measuring.
    """

    model: str
    folder: str
    checksum: str
    pooling: str
    texts: str
    settings: TuningSettings
    seed: int
    sentences: int
    held_out: int
    of: int
    losses: tuple[float, ...]
    layers: tuple[LayerChange, ...]
    words: WordsChange
    pairs: PairsChange
    weights: Mapping[str, Any]
    seconds: float

    @property
    def meaning(self) -> str:
        """Say how the tuning changed the mean cosines of the layers and the order of the scored pairs."""
        return f"{changes_in_words(self.layers)} {self.pairs.meaning}"

    @property
    def note(self) -> str:
        """Describe the sentences that were used, and the settings of the tuning."""
        one = self.settings
        many = min(one.layers, len(self.layers) - 1) if self.layers else one.layers  # the encoder may be less deep
        last = "layer" if many == 1 else f"{many} layers"
        return (
            f"Tuned on {self.sentences} of {self.of:,} different sentences of {self.texts}, "
            f"{counted(one.epochs, 'epoch')}, batches of {one.batch}, learning rate {one.rate:g} (AdamW), "
            f"τ {one.temperature:g}, dropout {one.dropout:g} in the last {last}, seed {self.seed}. Layers are "
            f"measured on {self.held_out} other sentences."
        )

    @property
    def batches(self) -> list[int]:
        """Return the number of sentences in each batch of an epoch."""
        return batch_sizes(self.sentences, self.settings.batch)

    @property
    def last_batch(self) -> int:
        """Return the number of sentences in the last batch if it is smaller than the first batch, else 0."""
        return self.batches[-1] if self.batches[-1] < self.batches[0] else 0

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: the mean cosine of each layer, before and after, with the interval of the change."""
        rows = [(one.layer, one.before.value, one.after.value, one.change, one.low, one.high) for one in self.layers]
        return ("layer", "before", "after", "change", "low", "high"), rows

    def card(self) -> dict[str, Any]:
        """Return the settings and results as plain JSON values."""
        return {
            "model": self.model,
            "texts": self.texts,
            "settings": asdict(self.settings),
            "seed": self.seed,
            "sentences": self.sentences,
            "loss": [round(value, 4) for value in self.losses],
            "meaning": self.meaning,
            "neighbors": self.words.meaning,
            "seconds": float(number(self.seconds, 1).replace(",", "")),
        }


def save(tuned: TunedEncoder, name: str) -> ModelCard:
    """Save a tuned encoder as an installed encoder, and return its `ModelCard`.

    Raises:
        OptionError: The name is taken or not allowed, the server is read-only, or the original encoder has changed
            since the tuning. It lies in `tuned.folder`; if that is empty, it is the built-in encoder.
        EncoderError: The original encoder cannot be loaded.
    """
    made = new_folder(name)
    base = load(tuned.folder or BUILTIN)
    if base.checksum != tuned.checksum:
        raise OptionError(f"{tuned.model} has changed since the tuning. Tune it again.")
    folder = model_folder() if tuned.folder in ("", BUILTIN) else Path(tuned.folder).expanduser()
    with tempfile.TemporaryDirectory(prefix=".tuned-", dir=made.parent) as scratch:
        draft = Path(scratch) / made.name
        draft.mkdir()
        _copy_small(folder, draft)
        _write_weights(base.network, tuned.weights, draft / WEIGHTS)
        (draft / TUNING).write_text(json.dumps(tuned.card(), indent=1), "utf-8")
        draft.rename(made)
    return card(made.name)


def _copy_small(folder: Path, draft: Path) -> None:
    """Copy the files of an encoder's configuration, tokenizer and pooling to the folder `draft`."""
    inside = network_folder(folder)
    for file in (CONFIG, *TOKENIZER_FILES):
        if (inside / file).is_file():
            shutil.copyfile(inside / file, draft / file)
    if inside == folder and (folder / MODULES).is_file():
        shutil.copyfile(folder / MODULES, draft / MODULES)
    for pooling in folder.glob("?_Pooling/config.json"):
        (draft / pooling.parent.name).mkdir()
        shutil.copyfile(pooling, draft / pooling.parent.name / pooling.name)


def _write_weights(network: Any, changed: Mapping[str, Any], file: Path) -> None:
    """Write the tensors of a network as safetensors; the arrays in `changed` replace tensors of the same name."""
    import torch
    from safetensors.torch import save_file

    tensors = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in network.state_dict().items()}
    for name, array in changed.items():
        tensors[name] = torch.from_numpy(array.copy())
    save_file(tensors, str(file), metadata={"format": "pt"})
