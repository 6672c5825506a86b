"""TensorFlow's files of a model, which are replaced together.

The new graph and the new index of the checkpoint are written beside the old ones, under names of their own. Then
`fingerprint.pb`, which holds their hashes, is replaced: from there on the new model counts, and its files take their
places. Where a save was interrupted in between, the next one to load or save the model finishes that.
"""

import contextlib
import os

from tfcompat._core.text_hash import fingerprint
from tfcompat._formats.graphs import VersionDef
from tfcompat._formats.whole import Replacing, alone, in_tf_terms, make_folder, remove_unfinished
from tfcompat.saved_model._messages import FingerprintDef
from tfcompat.train import _bundle
from tfcompat.train._bundle import NEXT

FILE = "saved_model.pb"
CHECKPOINT = os.path.join("variables", "variables")
FINGERPRINT = "fingerprint.pb"


def write(folder, graph, tensors, assets):
    """Writes the files of a model into a folder that nobody else saves into.

    Args:
      folder: path.
      graph: bytes of the file of the graph.
      tensors: of the checkpoint; see `_bundle.write`.
      assets: list of (name in the folder `assets`, path of a file to copy).

    Raises:
      OSError: a file cannot be written. The old model stays.
    """
    _complete(folder)
    for name, path in assets:
        make_folder(os.path.join(folder, "assets"))
        with open(path, "rb") as file, Replacing(os.path.join(folder, "assets", name)) as copy:
            copy.write(file.read())
    make_folder(os.path.join(folder, "variables"))
    graph_path, index_path = _places(folder)
    try:
        _bundle.write(os.path.join(folder, CHECKPOINT), tensors, in_place=False)
        with Replacing(graph_path + NEXT) as file:
            file.write(graph)
        with open(index_path + NEXT, "rb") as index:
            checksum = fingerprint(index.read())
        # Hashes of parts are of forms that only TensorFlow makes.
        made = FingerprintDef(
            saved_model_checksum=fingerprint(graph), checkpoint_hash=checksum, version=VersionDef(producer=4)
        )
        with Replacing(os.path.join(folder, FINGERPRINT)) as file:
            file.write(made.SerializeToString())
    finally:
        _complete(folder)


def complete(folder):
    """Finishes, or forgets, a save that was interrupted."""
    if any(os.path.exists(path + NEXT) for path in _places(folder)):
        with in_tf_terms(folder), alone(folder):
            _complete(folder)


def has_other_variables(folder):
    """Whether the variables of a model are another checkpoint than that which was saved with it."""
    try:
        with open(os.path.join(folder, FINGERPRINT), "rb") as file:
            expected = FingerprintDef.FromString(file.read()).checkpoint_hash
        with open(os.path.join(folder, f"{CHECKPOINT}.index"), "rb") as file:
            return fingerprint(file.read()) != expected
    except (OSError, ValueError):
        return False


def _places(folder):
    return os.path.join(folder, FILE), os.path.join(folder, f"{CHECKPOINT}.index")


def _complete(folder):
    """`complete` of a folder that nobody else saves into."""
    hashes = 0, 0
    with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, FINGERPRINT), "rb") as file:
        known = FingerprintDef.FromString(file.read())
        hashes = known.saved_model_checksum, known.checkpoint_hash
    for path, expected in zip(_places(folder), hashes, strict=True):
        with contextlib.suppress(FileNotFoundError):
            with open(path + NEXT, "rb") as file:
                counts = fingerprint(file.read()) == expected
            if counts:
                os.replace(path + NEXT, path)
            else:
                os.remove(path + NEXT)
    _bundle.remove_others(os.path.join(folder, CHECKPOINT))
    remove_unfinished(folder, [FILE, FILE + NEXT, FINGERPRINT])
