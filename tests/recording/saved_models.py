"""What TensorFlow saves of the models in `saved_model/models.py`, and what they compute: golden/saved_models.zip."""

import io
import pathlib
import tempfile
import zipfile

import numpy as np
from saved_model.models import MODELS

FILE = pathlib.Path(__file__).parents[1] / "golden" / "saved_models.zip"
NOT_KEPT = {"keras_mobilenet"}  # 0.9 MB of weights; `both_ways.py` compares it


def record(tf, options):
    archive = zipfile.ZipFile(FILE, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with archive, tempfile.TemporaryDirectory() as t:
        for name, row in MODELS.items():
            if name in NOT_KEPT:
                continue
            module = row.make(tf)
            folder = pathlib.Path(t) / name
            tf.saved_model.save(module, str(folder), signatures=module.f if row.signature else None)
            results = row.results(tf, module.f, row.batches[1])
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != "fingerprint.pb":
                    _put(archive, str(path.relative_to(t)), path.read_bytes())
            buffer = io.BytesIO()
            np.savez(buffer, **results)
            _put(archive, f"{name}.npz", buffer.getvalue())
    print(f"{FILE.name}: {len(MODELS) - len(NOT_KEPT)} models, {FILE.stat().st_size:,} bytes")


def _put(archive, name, data):
    entry = zipfile.ZipInfo(name)  # without the time
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def check(options):
    with zipfile.ZipFile(FILE) as archive:
        kept = {name.removesuffix(".npz") for name in archive.namelist() if name.endswith(".npz")}
    wanted = MODELS.keys() - NOT_KEPT
    return [f"saved_models.zip: {name} is missing" for name in sorted(wanted - kept)] + [
        f"saved_models.zip: {name} is left over" for name in sorted(kept - wanted)
    ]
