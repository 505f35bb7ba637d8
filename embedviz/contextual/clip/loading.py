"""Load a CLIP of Hugging Face's transformers. Its folder is checked by the same rules as an encoder's folder."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from embedviz.contextual.encoder.folder import CLIP, PREPROCESSOR, EncoderError, check, files_of, parsed
from embedviz.contextual.encoder.loading import checksum_of, fast_tokenizer, pretrained, quiet

MOST_SIDE = 1_024
"""Maximum side of the square that a CLIP reads, in pixels."""


@dataclass(frozen=True, eq=False)
class Clip:
    """A loaded CLIP.

    Attributes:
        name: Name of its folder.
        dimensions: Dimensions of the space that pictures and sentences share, d.
        side: Side of the square to which a picture is resized and cropped, in pixels.
        limit: Maximum number of tokens of a sentence, special tokens included.
        scale: Learned factor of the cosines, 1 / temperature: exp of the weight `logit_scale`.
        checksum: SHA-256 of its weights.
        network, tokenizer, processor: Objects of transformers; the processor prepares the pictures.
    """

    name: str
    dimensions: int
    side: int
    limit: int
    scale: float
    checksum: str
    network: Any
    tokenizer: Any
    processor: Any

    @property
    def temperature(self) -> float:
        """Return the learned temperature, by which CLIP divides the cosines."""
        return 1 / self.scale


def load_clip(folder: Clip | str | Path) -> Clip:
    """Return the CLIP of a folder; the last loaded CLIP stays in memory. A `Clip` is returned unchanged.

    Raises:
        EncoderError: The folder has no CLIP, no safetensors or no fast tokenizer, or a file is damaged.
    """
    if isinstance(folder, Clip):
        return folder
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise EncoderError(f"There is no folder {folder}. A CLIP is a folder with config.json, weights and tokenizer.")
    return _loaded(str(path.resolve()), path.name, tuple(files_of(path)))


@lru_cache(maxsize=1)
def _loaded(folder: str, name: str, stamps: tuple[Any, ...]) -> Clip:
    path = Path(folder)
    config, weights = check(path)
    if config.get("model_type") != CLIP:
        raise EncoderError(f"{name} has the architecture {str(config.get('model_type'))[:80]!r}. Take a CLIP.")
    side = _side(name, config)
    with quiet():
        tokenizer, network = fast_tokenizer(path), _network(path)
        processor = _processor(path, side)
    settings = network.config
    scale = float(network.logit_scale.detach().exp())
    if not 1e-3 < scale < 1e6:
        raise EncoderError(f"The temperature of {name} is out of range. Copy the folder again.")
    limit = int(settings.text_config.max_position_embeddings)
    checksum = checksum_of(weights)
    return Clip(name, int(settings.projection_dim), side, limit, scale, checksum, network, tokenizer, processor)


def _side(name: str, config: dict[str, Any]) -> int:
    """Return the side of the square that a CLIP reads, in pixels.

    For a value that the configuration lacks, the default value of transformers is used.

    Raises:
        EncoderError: The side is above `MOST_SIDE` or below the patch size, or the pictures do not have three channels.
    """
    vision = config.get("vision_config") or {}
    unknown = EncoderError(f"The config.json of {name} does not say which pictures it reads.")
    if not isinstance(vision, dict):
        raise unknown
    side, patch, channels = (vision.get(key, usual) for key, usual in _VISION)
    if not all(isinstance(each, int) for each in (side, patch, channels)) or channels != 3:
        raise unknown
    if not 1 <= patch <= side <= MOST_SIDE:
        raise EncoderError(
            f"The config.json of {name} has pictures of {side:,} pixels in patches of {patch:,}; at most "
            f"{MOST_SIDE:,} are read."
        )
    return int(side)


_VISION = (("image_size", 224), ("patch_size", 32), ("num_channels", 3))  # names, and the defaults of transformers


def _network(path: Path) -> Any:
    """Return the network of a folder in evaluation mode, in float32.

    Raises:
        EncoderError: The folder cannot be loaded, or its weights do not fit its configuration.
    """
    from transformers import CLIPModel

    network = pretrained(path, CLIPModel, "CLIP")
    return network.eval().requires_grad_(False)


def _processor(path: Path, side: int) -> Any:
    """Return the image processor of a CLIP: it resizes pictures, crops them to a square, and normalizes their colors.

    Only the color statistics and the resize rule are read from the file `PREPROCESSOR`. The size is `side`, so that the
    file cannot ask for a large picture.

    Raises:
        EncoderError: The file cannot be read, or has values that are not valid.
    """
    from transformers import CLIPImageProcessorPil

    try:
        found = parsed(path / PREPROCESSOR)
        colors: dict[str, Any] = {
            key: [float(each) for each in found[key]] for key in ("image_mean", "image_std") if key in found
        }
        resample = int(found.get("resample", 3))
    except FileNotFoundError:
        colors, resample = {}, 3
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise EncoderError(f"The {PREPROCESSOR} of {path.name} cannot be read. Copy it again.") from None
    if any(len(each) != 3 for each in colors.values()) or not all(each > 0 for each in colors.get("image_std", ())):
        raise EncoderError(f"The {PREPROCESSOR} of {path.name} has no three colors. Copy it again.")
    if resample not in range(6):
        raise EncoderError(f"The {PREPROCESSOR} of {path.name} names no rule to resize pictures. Copy it again.")
    return CLIPImageProcessorPil(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}, resample=resample, **colors
    )
