"""`tf.compat.v1.saved_model`: SavedModels of graphs of TensorFlow 1."""

import os
import shutil
from types import SimpleNamespace

import numpy as np

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat._core.graphs import GraphTensor
from tfcompat._formats.damage import refusing
from tfcompat._formats.whole import make_folder
from tfcompat._package.logging import logger
from tfcompat.compat._meta_graph_import import imported_meta_graph
from tfcompat.compat._meta_graphs import meta_graph_of, write_message
from tfcompat.compat._saver import Saver
from tfcompat.errors import UnimplementedError
from tfcompat.saved_model import _graph_load
from tfcompat.saved_model._graph_files import CHECKPOINT
from tfcompat.saved_model._graph_load import INITIALIZER, asset_path
from tfcompat.saved_model._messages import (
    AssetFileDef,
    CollectionDef,
    NodeList,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from tfcompat.saved_model._structured import shape_message, sizes_of
from tfcompat.train._early import open_checkpoint

_FILE = _graph_load.FILE


def contains_saved_model(export_dir):
    """Whether a folder has a SavedModel of TensorFlow in it. TF: `tf.compat.v1.saved_model.contains_saved_model`."""
    path = os.path.join(os.fspath(export_dir), _FILE)
    return os.path.exists(path) or os.path.exists(f"{path}txt")


# --- signatures -------------------------------------------------------------------------------------------------------


def build_tensor_info(tensor):
    """The TensorInfo of a tensor of a graph.

    Raises:
      RuntimeError: eagerly, as in TF.

    TF: `tf.compat.v1.saved_model.build_tensor_info`.
    """
    if not isinstance(tensor, graphs.Recorded):
        raise RuntimeError("`build_tensor_info` is not supported in Eager mode.")
    tensor = tensor if isinstance(tensor, GraphTensor) else tensor.value_in_graph
    return TensorInfo(
        name=tensor.name, dtype=tensor.dtype.as_datatype_enum, tensor_shape=shape_message(sizes_of(tensor.shape))
    )


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The tensor of a graph that a TensorInfo means. TF: as there."""
    graph = graph or tf.compat.v1.get_default_graph()
    return graph.get_tensor_by_name(f"{import_scope}/{tensor_info.name}" if import_scope else tensor_info.name)


def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """A SignatureDef of dicts of TensorInfos. TF: `tf.compat.v1.saved_model.build_signature_def`."""
    if defaults:
        raise UnimplementedError(None, None, "build_signature_def: `defaults` is not available in tfcompat")
    return SignatureDef(inputs=inputs or {}, outputs=outputs or {}, method_name=method_name or "")


def predict_signature_def(inputs, outputs):
    """The SignatureDef of dicts of tensors. TF: `tf.compat.v1.saved_model.predict_signature_def`."""
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    infos = [{name: build_tensor_info(x) for name, x in part.items()} for part in (inputs, outputs)]
    return build_signature_def(*infos, tf.saved_model.PREDICT_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
    """The SignatureDef of a classifier. TF: `tf.compat.v1.saved_model.classification_signature_def`."""
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    constants = tf.saved_model
    outputs = {constants.CLASSIFY_OUTPUT_CLASSES: classes, constants.CLASSIFY_OUTPUT_SCORES: scores}
    return build_signature_def(
        {constants.CLASSIFY_INPUTS: build_tensor_info(examples)},
        {name: build_tensor_info(x) for name, x in outputs.items() if x is not None}, constants.CLASSIFY_METHOD_NAME,
    )  # fmt: skip


def regression_signature_def(examples, predictions):
    """The SignatureDef of a regression. TF: `tf.compat.v1.saved_model.regression_signature_def`."""
    for name, value in (("examples", examples), ("predictions", predictions)):
        if value is None:
            raise ValueError(f"Regression `{name}` cannot be None.")
    return build_signature_def(
        {tf.saved_model.REGRESS_INPUTS: build_tensor_info(examples)},
        {tf.saved_model.REGRESS_OUTPUTS: build_tensor_info(predictions)}, tf.saved_model.REGRESS_METHOD_NAME,
    )  # fmt: skip


def is_valid_signature(signature_def):
    """Whether a SignatureDef has inputs, outputs and a method that is known. TF: as there."""
    known = (tf.saved_model.PREDICT_METHOD_NAME, tf.saved_model.CLASSIFY_METHOD_NAME,
             tf.saved_model.REGRESS_METHOD_NAME)  # fmt: skip
    return bool(signature_def.inputs) and bool(signature_def.outputs) and signature_def.method_name in known


# --- writing ----------------------------------------------------------------------------------------------------------


class Builder:
    """Writes SavedModels.

    Args:
      export_dir: folder, which must not have files in it.

    Raises:
      AssertionError: it has.

    TF: `tf.compat.v1.saved_model.Builder`.
    """

    def __init__(self, export_dir):
        self._folder = os.fspath(export_dir)
        if os.path.isdir(self._folder) and os.listdir(self._folder):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose a different export "
                "directory, or delete all the contents of the specified directory."
            )
        make_folder(self._folder)
        self._model, self._has_variables = SavedModel(saved_model_schema_version=1), False

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None,
                                     legacy_init_op=None, clear_devices=False, main_op=None,
                                     strip_default_attrs=False, saver=None):  # fmt: skip
        """Adds the graph of a session, and writes the values of its variables.

        Args:
          sess: Session.
          tags: list of str.
          signature_def_map: dict from names to SignatureDefs.
          assets_collection: list of text tensors that are paths of files, which are copied.
          main_op: operation that runs where the model is loaded.
          legacy_init_op: another name of `main_op`.
          saver: Saver, by default of all variables.
          clear_devices, strip_default_attrs: of no effect.

        Raises:
          AssertionError: variables were written before.
          tf.errors.UnimplementedError: see `tf.Graph.as_graph_def`.
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                "instead."
            )
        self._has_variables = True
        with sess.graph.as_default():
            meta, saver = self._meta(sess.graph, tags, signature_def_map, assets_collection, legacy_init_op, main_op,
                                     saver)  # fmt: skip
            if saver is not None:
                folder = os.path.join(self._folder, "variables")
                make_folder(folder)
                saver.save(sess, os.path.join(folder, "variables"), write_meta_graph=False, write_state=False)
        self._model.meta_graphs.append(meta)

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None,
                       clear_devices=False, main_op=None, strip_default_attrs=False, saver=None):  # fmt: skip
        """As `add_meta_graph_and_variables`, of the default graph, with the variables that were written before."""
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        graph = tf.compat.v1.get_default_graph()
        meta, _ = self._meta(graph, tags, signature_def_map, assets_collection, legacy_init_op, main_op, saver)
        self._model.meta_graphs.append(meta)

    def _meta(self, graph, tags, signatures, assets, legacy_init_op, main_op, saver):
        main_op = legacy_init_op if main_op is None else main_op
        if saver is None and graph.get_collection("variables"):
            saver = Saver()
        variables = saver._variables() if saver is not None else None
        meta = meta_graph_of(graph, variables, list(tags))
        for key, signature in (signatures or {}).items():
            for info in (*signature.inputs.values(), *signature.outputs.values()):
                if not info.dtype:
                    raise AssertionError(f"Signature key {key}: a TensorInfo has no dtype")
            dict.__setitem__(meta.signature_def, key, signature)
        if main_op is not None:
            operation = main_op.op if isinstance(main_op, GraphTensor) else main_op
            info = TensorInfo(name=operation.name)
            dict.__setitem__(meta.signature_def, INITIALIZER, SignatureDef(outputs={INITIALIZER: info}))
            collection = CollectionDef(node_list=NodeList(value=[operation.name]))
            dict.__setitem__(meta.collection_def, "saved_model_main_op", collection)
        for tensor in assets or ():
            self._add_asset(meta, tensor)
        return meta, saver

    def _add_asset(self, meta, tensor):
        source = tensor.known_value()
        if source is None:
            raise ValueError(f"Asset file path tensor {tensor} is not a constant: its value is not known.")
        path = np.asarray(source).item()
        path = path.decode() if isinstance(path, bytes) else path
        name = os.path.basename(path)
        folder = os.path.join(self._folder, "assets")
        make_folder(folder)
        if not os.path.exists(os.path.join(folder, name)):
            shutil.copyfile(path, os.path.join(folder, name))
        meta.asset_file_def.append(AssetFileDef(filename=name, tensor_info=TensorInfo(name=tensor.name)))

    def save(self, as_text=False):
        """Writes the file with the graphs; its path, bytes as in TF."""
        path = os.path.join(self._folder, f"{_FILE}txt" if as_text else _FILE)
        write_message(path, self._model, as_text)
        logger.info("SavedModel written to: %s", path)
        return path.encode()


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Writes the graph of a session with one signature, of dicts of tensors.

    TF: `tf.compat.v1.saved_model.simple_save`.
    """
    builder = Builder(export_dir)
    signatures = {tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)}
    builder.add_meta_graph_and_variables(
        session, [tf.saved_model.SERVING], signatures, main_op=legacy_init_op, clear_devices=True
    )
    builder.save()


# --- reading ----------------------------------------------------------------------------------------------------------


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Adds the graph of a SavedModel to that of a session, and gives its variables their values.

    Args:
      sess: Session.
      tags: list of str.
      export_dir: folder.
      import_scope: prefix of names.
      **saver_kwargs: of the Saver.

    Returns:
      MetaGraphDef, whose `signature_def` names tensors.

    Raises:
      RuntimeError: there is no graph with these tags.
      OSError: the folder has no such model, or a damaged one.
      what `tf.import_graph_def` raises.

    TF: `tf.compat.v1.saved_model.load`. Nodes that read files are not run, see SECURITY.md.
    """
    folder = os.fspath(export_dir)
    path = os.path.join(folder, _FILE)
    wanted = {tags} if isinstance(tags, str) else set(tags)
    found = [meta for meta in _graph_load.read(path).meta_graphs if set(meta.meta_info_def.tags) == wanted]
    if not found:
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(sorted(wanted)).strip('[]')} could not be found in SavedModel"
        )
    (meta, *_), prefix = found, f"{import_scope}/" if import_scope else ""
    graph = sess.graph
    with refusing(f"Cannot parse file {path}: it", OSError, TypeError, ValueError, UnimplementedError, KeyError):
        with graph.as_default():
            saver = imported_meta_graph(meta, import_scope, **saver_kwargs)
        assets = _assets(graph, meta, folder, prefix)
        files = os.path.join(folder, CHECKPOINT)
        if os.path.exists(files + ".index"):
            _restore(sess, meta, folder, saver, files)
    name = _initializer(meta)
    if name is not None:
        sess.run(graph.get_operation_by_name(f"{prefix}{name}"), assets)
    return meta


def _restore(sess, meta, folder, saver, files):
    if not meta.object_graph_def.nodes:
        if saver is not None:
            saver.restore(sess, files)
        return
    reader, keys = open_checkpoint(files), _graph_load.checkpoint_keys(folder, meta)
    for variable in sess.graph.held_by.values():
        key = keys.get(variable.shared) or keys.get(variable.op.name)
        if key is not None and key in reader:
            sess.load(variable, reader.read(key))


def _assets(graph, meta, folder, prefix):
    """Dict from the tensors that hold paths of assets to the paths here."""
    return {
        graph.get_tensor_by_name(f"{prefix}{asset.tensor_info.name}"): asset_path(folder, asset.filename)
        for asset in meta.asset_file_def
    }


def _initializer(meta):
    if INITIALIZER in meta.signature_def:
        for info in meta.signature_def[INITIALIZER].outputs.values():
            return info.name.partition(":")[0]
    for key in ("saved_model_main_op", "legacy_init_op"):
        if key in meta.collection_def and meta.collection_def[key].node_list.value:
            return meta.collection_def[key].node_list.value[0].partition(":")[0]
    return None


def main_op():
    """An operation that initializes variables and tables. TF: `tf.compat.v1.saved_model.main_op.main_op`."""
    v1 = tf.compat.v1
    return tf.group(v1.global_variables_initializer(), v1.local_variables_initializer(), v1.tables_initializer())


def _constants(names):
    return {name: getattr(tf.saved_model, name) for name in names.split()}


def _own():
    functions = (
        build_signature_def, build_tensor_info, classification_signature_def, contains_saved_model,
        get_tensor_from_tensor_info, is_valid_signature, load, predict_signature_def, regression_signature_def,
        simple_save,
    )  # fmt: skip
    own: dict = {function.__name__: function for function in functions}
    own |= {"Builder": Builder, "LEGACY_INIT_OP_KEY": "legacy_init_op", "MAIN_OP_KEY": "saved_model_main_op",
            "maybe_saved_model_directory": contains_saved_model}  # fmt: skip
    of_signatures = (build_signature_def, classification_signature_def, is_valid_signature, predict_signature_def,
                     regression_signature_def)  # fmt: skip
    return own | {
        "builder": SimpleNamespace(SavedModelBuilder=Builder),
        "loader": SimpleNamespace(load=load, maybe_saved_model_directory=contains_saved_model),
        "main_op": SimpleNamespace(main_op=main_op),
        "signature_def_utils": SimpleNamespace(**{function.__name__: function for function in of_signatures}),
        "utils": SimpleNamespace(
            build_tensor_info=build_tensor_info, get_tensor_from_tensor_info=get_tensor_from_tensor_info
        ),
        "tag_constants": SimpleNamespace(**_constants("GPU SERVING TPU TRAINING")),
        "signature_constants": SimpleNamespace(**_constants(
            "CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES "
            "DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS "
            "REGRESS_METHOD_NAME REGRESS_OUTPUTS"
        )),
        "constants": SimpleNamespace(LEGACY_INIT_OP_KEY="legacy_init_op", MAIN_OP_KEY="saved_model_main_op",
                                     **_constants("ASSETS_DIRECTORY ASSETS_KEY SAVED_MODEL_FILENAME_PB "
                                                  "SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION "
                                                  "VARIABLES_DIRECTORY VARIABLES_FILENAME")),
    }  # fmt: skip


NAMES = _own()
