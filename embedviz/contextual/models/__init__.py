"""Installed models: the built-in encoder and those in the folder `encoders`; downloads of models and word vectors.

`cards`: list and delete the installed models · `adding`: add a local model · `known`: catalog of downloadable models ·
`downloads`: download a model · `hub`: files of the Hugging Face hub · `vectors`: download word vectors.
"""

from embedviz.contextual.encoder import BUILTIN
from embedviz.contextual.models.adding import add, holds_encoder, linked
from embedviz.contextual.models.cards import CARD, FOLDER, ModelCard, at_hand, card, clips, delete, installed, root
from embedviz.contextual.models.downloads import Download, Unfinished, discard, download, source, unfinished
from embedviz.contextual.models.known import Known, known, local_name, resolve
from embedviz.contextual.models.vectors import DownloadedVectors, PublishedVectors, download_vectors, published

__all__ = [
    "BUILTIN",
    "CARD",
    "FOLDER",
    "Download",
    "DownloadedVectors",
    "Known",
    "ModelCard",
    "PublishedVectors",
    "Unfinished",
    "add",
    "at_hand",
    "card",
    "clips",
    "delete",
    "discard",
    "download",
    "download_vectors",
    "holds_encoder",
    "installed",
    "known",
    "linked",
    "local_name",
    "published",
    "resolve",
    "root",
    "source",
    "unfinished",
]
