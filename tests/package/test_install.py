"""`tfcompat.install()`: what `import tensorflow` finds, and when it refuses."""

import importlib
import importlib.metadata as metadata
import importlib.util
import os
import subprocess
import sys
import types
import typing

import numpy as np
import pytest

import tfcompat
import tfcompat as tf


@pytest.fixture
def installed():
    tfcompat.install()
    yield
    tfcompat.uninstall()


def run(code, **options):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, text=True, capture_output=True, timeout=120, **options)


@pytest.mark.usefixtures("installed")
def test_every_import_statement_finds_the_same_modules():
    import tensorflow
    import tensorflow as tf
    import tensorflow.compat.v2 as v2
    import tensorflow.keras.backend as backend
    import tensorflow.keras.layers as layers
    from tensorflow import keras
    from tensorflow.keras import layers as layers_of_keras
    from tensorflow.keras.layers import Dense

    assert tensorflow is tf is v2 is tfcompat
    assert keras is tf.keras is tfcompat.keras
    assert layers is layers_of_keras is tfcompat.keras.layers
    assert backend is tfcompat.keras.backend
    assert Dense is tfcompat.keras.layers.Dense


@pytest.mark.usefixtures("installed")
def test_models_of_imagenet_are_found_under_their_modules():
    import tensorflow.keras.applications.mobilenet_v2 as mobilenet_v2
    from tensorflow.keras.applications import MobileNetV2, resnet
    from tensorflow.keras.applications.resnet50 import ResNet50, decode_predictions, preprocess_input
    from tf_keras.applications.inception_v3 import InceptionV3

    applications = tfcompat.keras.applications
    assert mobilenet_v2.MobileNetV2 is MobileNetV2 is applications.MobileNetV2
    assert ResNet50 is resnet.ResNet50 is applications.ResNet50
    assert preprocess_input is resnet.preprocess_input
    assert decode_predictions is applications.imagenet_utils.decode_predictions
    assert InceptionV3 is applications.InceptionV3


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    "name",
    ["math", "nn", "linalg", "random", "errors", "nest", "keras.initializers", "compat.v2.keras.layers"],
)
def test_module_below_tensorflow_is_the_one_that_the_attribute_names(name):
    expected = tfcompat
    for part in name.split("."):
        expected = getattr(expected, part)
    assert importlib.import_module(f"tensorflow.{name}") is expected


@pytest.mark.usefixtures("installed")
def test_packages_that_ask_whether_tensorflow_is_installed():
    assert metadata.version("tensorflow") == tf.__version__
    for name in ("tf_keras", "tf-keras", "TF.Keras"):
        assert metadata.version(name) == tf.__version__
    assert metadata.distribution("TensorFlow").metadata["Name"] == "tensorflow"
    assert metadata.requires("tensorflow") is None and metadata.files("tensorflow") is None
    assert "tensorflow" in metadata.packages_distributions()["tensorflow"]
    assert metadata.version("numpy") == np.__version__
    assert not any("tensorflow" == each.name for each in metadata.distributions(path=[]))
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("tensorflow-of-nobody")


def test_keras_3_is_asked_for_its_own_version():
    code = "import tfcompat; tfcompat.install(); import importlib.metadata as m; print(m.version('keras'))"
    assert run(code, env={**os.environ, "KERAS_BACKEND": ""}).stdout.strip() == tf.__version__
    said = run(code, env={**os.environ, "KERAS_BACKEND": "jax"})
    assert said.stdout.strip() != tf.__version__


@pytest.mark.usefixtures("installed")
def test_aliasing_leaves_our_modules_as_they_were():
    importlib.import_module("tensorflow.math")
    assert tfcompat.__spec__.name == "tfcompat"
    assert tfcompat.math.__spec__.name == tfcompat.math.__name__
    assert importlib.util.find_spec("tensorflow") is tfcompat.__spec__


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["python.eager.execute", "python.keras.engine.training", "core.framework.op_def_pb2"])
def test_private_module_of_tensorflow_is_refused_with_advice(name):
    with pytest.raises(ModuleNotFoundError, match="private to TensorFlow.*Use the public name"):
        importlib.import_module(f"tensorflow.{name}")


@pytest.mark.usefixtures("installed")
def test_module_that_only_tensorflow_has_raises_when_it_is_used(caplog):
    name, member = "tensorflow.distribute.coordinator", "ClusterCoordinator"
    advice = "use tf.distribute.MultiWorkerMirroredStrategy"
    module = importlib.import_module(name)
    assert advice in caplog.text or sys.modules[name] is module
    with pytest.raises(AttributeError, match=advice):
        getattr(module, member)
    with pytest.raises(ImportError, match="no_such_name"):
        exec(f"from {name} import no_such_name")
    scope: dict = {}
    exec(f"from {name} import {member}", scope)
    with pytest.raises(tf.errors.UnimplementedError, match=advice):
        scope[member]()


@pytest.mark.usefixtures("installed")
def test_name_that_only_tensorflow_has_raises_when_it_is_used():
    from tensorflow.keras.utils import SidecarEvaluator

    for use in (lambda: SidecarEvaluator({}), lambda: type("Mine", types.resolve_bases((SidecarEvaluator,)), {})):
        with pytest.raises(tf.errors.UnimplementedError, match="tf.keras.utils.SidecarEvaluator is not available"):
            use()
    with pytest.raises(AttributeError, match="is not available in tfcompat: use model.evaluate"):
        SidecarEvaluator.start  # noqa: B018
    assert not hasattr(tf.keras.utils, "SidecarEvaluator")
    from tensorflow import TensorArraySpec  # a namespace that looks for submodules first

    assert "not available" in repr(TensorArraySpec)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["no_such_module", "math.no_such_module", "constant"])
def test_missing_module_says_where_it_was_looked_for(name):
    with pytest.raises(ModuleNotFoundError, match=rf"tensorflow is tfcompat here.*'tfcompat\.{name}'"):
        importlib.import_module(f"tensorflow.{name}")


@pytest.mark.usefixtures("installed")
def test_missing_name_is_an_import_error():
    with pytest.raises(ImportError, match="no_such_name"):
        from tensorflow import no_such_name  # noqa: F401


def test_second_install_and_second_uninstall_do_nothing():
    finders = list(sys.meta_path)
    tfcompat.install()
    tfcompat.install()
    assert len(sys.meta_path) == len(finders) + 1
    tfcompat.uninstall()
    tfcompat.uninstall()
    assert sys.meta_path == finders
    assert not [name for name in sys.modules if name.split(".")[0] == "tensorflow"]


def test_notebook_extension_installs_and_uninstalls():
    tfcompat.load_ipython_extension(None)
    try:
        import tensorflow

        assert tensorflow is tfcompat
    finally:
        importlib.import_module("tfcompat._tools._install").unload_ipython_extension(None)
    assert "tensorflow" not in sys.modules


def test_importing_tfcompat_installs_nothing():
    done = run(
        "import sys, tfcompat\n"
        "assert not any(type(f).__module__.startswith('tfcompat') for f in sys.meta_path)\n"
        "assert 'tensorflow' not in sys.modules\n"
    )
    assert done.returncode == 0, done.stderr


def test_refuses_when_tensorflow_itself_is_imported(tmp_path):
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text("")
    done = run(
        "import tensorflow, tfcompat\n"
        "try:\n"
        "    tfcompat.install()\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
        "assert tensorflow is __import__('tensorflow') is not tfcompat\n",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "already imported" in done.stdout
    assert str(tmp_path) in done.stdout
    assert "import tfcompat as tf" in done.stdout


@pytest.mark.parametrize("name", ["keras", "tf_keras"])
def test_keras_is_ours(tmp_path, name):
    (tmp_path / f"{name}.py").write_text("its_own = True\n")
    done = run(
        "import tfcompat; tfcompat.install()\n"
        f"import {name}\n"
        f"from {name}.layers import Dense\n"
        f"assert {name} is tfcompat.keras and Dense is tfcompat.keras.layers.Dense\n"
        "from tensorflow.python.util import nest, tf_inspect\n"
        "from tensorflow.python.autograph.pyct import anno\n"
        "assert nest.flatten([1]) == [1] and anno.__name__ == 'malt.pyct.anno'\n"
        "tfcompat.uninstall()\n"
        "import sys\n"
        "assert not [name for name in sys.modules if name.startswith(('tensorflow', 'tf_keras', 'keras'))]\n"
        f"import {name}\n"
        f"assert {name}.its_own\n",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("first", ["import os; os.environ['KERAS_BACKEND'] = 'jax'", "import keras"])
def test_keras_without_tensorflow_is_left_alone(tmp_path, first):
    (tmp_path / "keras.py").write_text("its_own = True\n")
    done = run(f"{first}\nimport tfcompat; tfcompat.install()\nimport keras\nassert keras.its_own", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("installed")
def test_tables_of_what_is_for_tpus_alone_can_be_made():
    embedding = tf.tpu.experimental.embedding
    table = {"Adam": (embedding.Adam, ["beta_1"]), "SGD": (embedding.SGD, [])}
    assert typing.Union[embedding.TPUEmbedding, embedding.TPUEmbeddingV2]  # noqa: UP007
    with pytest.raises(tf.errors.UnimplementedError, match="jax.sharding"):
        table["Adam"][0](0.1)
    with pytest.raises(AttributeError):
        embedding.Nothing  # noqa: B018
    assert tf.tpu.experimental.HardwareFeature.EmbeddingFeature.V1.value == "V1"
