"""What TensorFlow saves of the models in `saved_model/models.py`, and what they compute: golden/saved_models.zip.

golden/saved_models_1.zip has graphs of TensorFlow 1, golden/saved_models_keras.zip folders of tf_keras. Their parts are
"graphs" and "keras".
"""

import io
import pathlib
import tempfile
import zipfile

import numpy as np
from saved_model import graphs_of_tensorflow_1, keras_models
from saved_model.models import MODELS, composites

FILE = pathlib.Path(__file__).parents[1] / "golden" / "saved_models.zip"
FILE_1 = FILE.with_name("saved_models_1.zip")
FILE_KERAS = FILE.with_name("saved_models_keras.zip")
NOT_KEPT = {"keras_mobilenet"}  # 0.9 MB of weights; `both_ways.py` compares it


def record(tf, options):
    for part, recorder in {"models": record_models, "graphs": record_graphs, "keras": record_keras}.items():
        if not options.parts or part in options.parts:
            recorder(tf)


def record_keras(tf):
    """Folders of tf_keras, and what their models compute."""
    archive = zipfile.ZipFile(FILE_KERAS, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with archive, tempfile.TemporaryDirectory() as t:
        for name in keras_models.MODELS:
            model, x = keras_models.trained(tf, name)
            model.save(f"{t}/{name}", save_format="tf")
            results = {"y": model(x).numpy(), "losses": model.evaluate(x, keras_models.TARGETS, verbose=0)}
            _put_folder(archive, pathlib.Path(t), name)
            buffer = io.BytesIO()
            np.savez(buffer, **results)
            _put(archive, f"{name}.npz", buffer.getvalue())


def record_models(tf):
    """The models of `saved_model/models.py`."""
    archive = zipfile.ZipFile(FILE, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with archive, tempfile.TemporaryDirectory() as t:
        for name, row in MODELS.items():
            if name in NOT_KEPT:
                continue
            module = row.make(tf)
            folder = pathlib.Path(t) / name
            tf.saved_model.save(module, str(folder), signatures=module.f if row.signature else None)
            results = row.results(tf, module.f, row.batches[1])
            _put_folder(archive, pathlib.Path(t), name)
            buffer = io.BytesIO()
            np.savez(buffer, **results)
            _put(archive, f"{name}.npz", buffer.getvalue())
        _record_keras(tf, archive, pathlib.Path(t))
        tf.saved_model.save(composites(tf, np), f"{t}/composites")
        _save_with_tensorflow_1(tf, f"{t}/of_tensorflow_1")
        for name in ("composites", "of_tensorflow_1"):
            _put_folder(archive, pathlib.Path(t), name)
    print(f"{FILE.name}: {len(MODELS) - len(NOT_KEPT)} models, {FILE.stat().st_size:,} bytes")


def record_graphs(tf):
    """The graphs of TensorFlow 1."""
    archive = zipfile.ZipFile(FILE_1, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with archive, tempfile.TemporaryDirectory() as t:
        for name in graphs_of_tensorflow_1.GRAPHS:
            results = graphs_of_tensorflow_1.save(tf, name, f"{t}/{name}")
            _put_folder(archive, pathlib.Path(t), name)
            buffer = io.BytesIO()
            np.savez(buffer, **results)
            _put(archive, f"{name}.npz", buffer.getvalue())
        again = tf.Module()  # nodes of TensorFlow 1 within a function
        again.loaded = tf.saved_model.load(f"{t}/branch_in_loop")
        again.f = tf.function(
            lambda x: again.loaded.signatures["serving_default"](x=x), [tf.TensorSpec([None, 3])], autograph=False
        )
        tf.saved_model.save(again, f"{t}/in_a_function", signatures=again.f)
        _put_folder(archive, pathlib.Path(t), "in_a_function")


def _put_folder(archive, root, name):
    for path in sorted((root / name).rglob("*")):
        if path.is_file() and path.name != "fingerprint.pb":
            _put(archive, str(path.relative_to(root)), path.read_bytes())


def _save_with_tensorflow_1(tf, folder):
    """A graph without objects, with variables of both kinds."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        w = v1.get_variable("w", initializer=np.arange(6, dtype="float32").reshape(3, 2), use_resource=False)
        b = v1.get_variable("b", initializer=np.ones(2, "float32"), use_resource=True)
        y = tf.nn.relu(tf.matmul(x, w) + b, name="y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


def _record_keras(tf, archive, folder):
    """A compiled model as tf_keras saves it, and how it goes on."""
    layers, random = tf.keras.layers, np.random.RandomState(0)
    model = tf.keras.Sequential([
        tf.keras.Input((4,), name="inp"), layers.Dense(3, "relu"), layers.BatchNormalization(), layers.Dense(2)
    ])  # fmt: skip
    model.compile("adam", "mse", metrics=["mae"])
    x, y = (random.standard_normal(shape).astype("float32") for shape in ((4, 4), (4, 2)))
    for _ in range(2):
        model.fit(x, y, verbose=0, shuffle=False)
    model.save(folder / "keras_model", save_format="tf")
    results = {"x": x, "y": y, "before": model(x).numpy()}
    model.fit(x, y, verbose=0, shuffle=False)
    for path in sorted((folder / "keras_model").rglob("*")):
        if path.is_file() and path.name not in ("fingerprint.pb", "saved_model.pb"):
            _put(archive, str(path.relative_to(folder)), path.read_bytes())
    _put(archive, "keras_model/saved_model.pb", b"")  # only its configuration and checkpoint are read
    buffer = io.BytesIO()
    np.savez(buffer, **results, after=model(x).numpy())
    _put(archive, "keras_model.npz", buffer.getvalue())


def _put(archive, name, data):
    entry = zipfile.ZipInfo(name)  # without the time
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def check(options):
    wanted = {FILE: MODELS.keys() - NOT_KEPT, FILE_1: graphs_of_tensorflow_1.GRAPHS.keys(),
              FILE_KERAS: keras_models.MODELS.keys()}  # fmt: skip
    return [line for path, names in wanted.items() for line in _check(path, names)]


def _check(path, wanted):
    with zipfile.ZipFile(path) as archive:
        kept = {name.removesuffix(".npz") for name in archive.namelist() if name.endswith(".npz")} - {"keras_model"}
    return [f"{path.name}: {name} is missing" for name in sorted(wanted - kept)] + [
        f"{path.name}: {name} is left over" for name in sorted(kept - wanted)
    ]
