"""Old names of modules, so that code written for an earlier layout still runs.

After `import embedviz.quality`, this old name gives the names of the module `embedviz.projection.quality`. An unknown
name in a dissolved folder raises an error that says where to find the new names.
"""

import importlib
import sys
from collections.abc import Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "alignment": "geometry.alignment",
    "analogy": "neighbors.analogy",
    "blobs": "core.blobs",
    "clusters": "geometry.clusters",
    "columns": "projection.coloring",
    "comparison": "geometry.comparison",
    "comparison.overlap": "geometry.comparison.overlap",
    "comparison.procrustes": "geometry.comparison.procrustes",
    "comparison.shared": "geometry.comparison.shared",
    "comparison.similarity": "geometry.comparison.similarity",
    "comparison.timeline": "geometry.comparison.timeline",
    "compiled": "core.compiled",
    "contextual.ways": "contextual.layer_pooling",
    "copies": "core.stats.copies",
    "corpus.archives": "files.archives",
    "corpus.byte_lines": "files.byte_lines",
    "corpus.tables": "tables",
    "datasets": "testsets.datasets",
    "density": "geometry.density",
    "device": "core.device",
    "documents": "retrieval.spaces",
    "encoders": "contextual.models",
    "encoders.cards": "contextual.models.cards",
    "encoders.downloads": "contextual.models.downloads",
    "encoders.known": "contextual.models.known",
    "figures.scatter.joining": "figures.web.joining",
    "formats.encodings": "files.encodings",
    "formats.source": "files.source",
    "formula": "neighbors.formula",
    "hidden": "core.hidden",
    "hub": "contextual.models.hub",
    "intervals": "core.stats.intervals",
    "isotropy": "geometry.isotropy",
    "isotropy.look": "geometry.isotropy.look",
    "isotropy.moments": "geometry.isotropy.moments",
    "isotropy.tokens": "geometry.isotropy.tokens",
    "lookup": "neighbors.lookup",
    "options": "core.options",
    "pasted": "core.pasted",
    "permutation": "core.stats.permutation",
    "postprocess": "geometry.corrections",
    "progress": "core.progress",
    "quality": "projection.quality",
    "quality.copied": "projection.quality.copied",
    "quality.coranking": "projection.quality.coranking",
    "quality.permissions": "projection.quality.permissions",
    "resampling": "core.stats.resampling",
    "retrieval.documents": "retrieval.spaces",
    "retrieval.encoded": "retrieval.spaces",
    "sampling": "projection.sampling",
    "saying": "core.phrases",
    "search": "retrieval",
    "search.bm25": "retrieval.bm25",
    "search.ranking": "retrieval.ranking",
    "search.snippets": "retrieval.snippets",
    "separation": "geometry.separation",
    "space": "core.space",
    "static.builtin": "core.builtin",
    "static.counting": "training.counting",
    "static.counts": "training.counts",
    "static.fasttext": "training.fasttext",
    "static.glove": "training.glove",
    "static.glove.descent": "training.glove.descent",
    "static.glove.graphics": "training.glove.graphics",
    "static.glove.kernels": "training.glove.kernels",
    "static.glove.parameters": "training.glove.parameters",
    "static.glove.tiles": "training.glove.tiles",
    "static.objective": "training.objective",
    "static.passes": "training.passes",
    "static.textcnn": "training.textcnn",
    "static.textcnn.filters": "training.textcnn.filters",
    "static.textcnn.network": "training.textcnn.network",
    "static.trainers": "training.trainers",
    "static.training": "training.base",
    "static.word2vec": "training.word2vec",
    "studies.attention": "contextual.heads",
    "studies.corrections": "evaluation.outcome",
    "studies.curves": "training.curves",
    "studies.documents": "retrieval.themes",
    "studies.film": "training.replay",
    "studies.glance": "evaluation.glance",
    "studies.grade": "evaluation.grade",
    "studies.layers": "contextual.layers",
    "studies.pair_tables": "contextual.pair_tables",
    "studies.pairs": "contextual.sentence_pairs",
    "studies.path": "contextual.word_path",
    "studies.pooled": "contextual.pooled",
    "studies.retrieval": "retrieval.accuracy",
    "studies.searching": "retrieval.indexing",
    "studies.senses": "contextual.senses",
    "studies.senses.chart": "contextual.senses.chart",
    "studies.senses.sentences": "contextual.senses.sentences",
    "studies.senses.study": "contextual.senses.study",
    "studies.sentences": "retrieval.spaces",
    "studies.subwords": "neighbors.anatomy",
    "studies.training": "training",
    "studies.training.basis": "training.basis",
    "studies.training.beside": "training.comparing",
    "studies.training.evaluating": "training.evaluating",
    "studies.training.journal": "training.journal",
    "studies.training.measures": "training.measures",
    "studies.training.records": "training.records",
    "studies.training.repeating": "training.repeating",
    "studies.training.runs": "training.runs",
    "studies.training.settings": "training.settings",
    "studies.training.snapshots": "training.snapshots",
    "studies.training.warming": "training.warming",
    "studies.training.watching": "training.watching",
    "studies.verdict": "evaluation.verdict",
    "subwords": "core.subwords",
    "texts": "core.texts",
    "training.beside": "training.comparing",
    "trajectory": "core.trajectory",
    "worker": "jobs.worker",
}
"""Old name of a module → its new name, both without the prefix `embedviz.`."""
DISSOLVED = ("static", "studies")
"""Former folders whose modules are now in several packages."""
_PACKAGE = "embedviz."


class _OldNames(MetaPathFinder, Loader):
    """Import hook: an import of an old module name gives the module that replaced it (its successor)."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for an old name, None for any other name.

        Raises:
            ModuleNotFoundError: The name is in a folder that was divided among others (`DISSOLVED`), but is not in
                `MOVED`.
        """
        old = fullname.removeprefix(_PACKAGE)
        if old == fullname:
            return None
        if old in MOVED or old in DISSOLVED:
            return ModuleSpec(fullname, self, is_package=old in DISSOLVED or _is_package(old))
        if old.partition(".")[0] in DISSOLVED:
            raise ModuleNotFoundError(
                f"There is no module {fullname}: {_PACKAGE}{old.partition('.')[0]} was divided among other folders. "
                "CONTRIBUTING.md lists them; embedviz.moved.MOVED has the new name of each module.",
                name=fullname,
            )
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None, so that Python creates an empty module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Replace an old module by its successor in `sys.modules`; let an old package look up names in its successor.

        A package is not replaced, because Python sets each imported submodule as an attribute of its package. In the
        successor this attribute could hide a function of the same name.
        """
        old = module.__name__.removeprefix(_PACKAGE)
        if old in MOVED:
            successor = importlib.import_module(_PACKAGE + MOVED[old])
            if _is_package(old):
                module.__getattr__ = partial(getattr, successor)  # type: ignore[method-assign]
            else:
                sys.modules[module.__name__] = successor


def _is_package(old: str) -> bool:
    """Return whether an old name was a package, that is, whether another old name begins with it and a dot."""
    return any(each.startswith(f"{old}.") for each in MOVED)


def install() -> None:
    """Make the old names importable.

    The hook goes before Python's own finders. Otherwise these finders could load a moved file a second time, under its
    old name.
    """
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OldNames())
