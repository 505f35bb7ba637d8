"""CLIP: pictures and sentences in one space (Radford et al. 2021).

`pictures`: open pictures within limits, and draw examples · `loading`: load a CLIP from a folder · `scores`: cosines
and probabilities of pictures and sentences, and both as one `VectorSpace`.
"""

from embedviz.contextual.clip.loading import Clip, load_clip
from embedviz.contextual.clip.pictures import DRAWN, PictureError, drawn_picture, open_picture, thumbnail
from embedviz.contextual.clip.scores import ClipScores, clip_scores

__all__ = [
    "DRAWN",
    "Clip",
    "ClipScores",
    "PictureError",
    "clip_scores",
    "drawn_picture",
    "load_clip",
    "open_picture",
    "thumbnail",
]
