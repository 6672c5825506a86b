"""`TensorBoard`: the logs of training in event files."""

import contextlib
import logging
import os
import time
from typing import Any

import jax
import numpy as np

from tfcompat import summary
from tfcompat.errors import UnimplementedError
from tfcompat.keras.callbacks._base import Callback
from tfcompat.keras.optimizers.schedules import LearningRateSchedule
from tfcompat.layers import Embedding
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import equal
from tfcompat.summary._messages import PluginData, SummaryMetadata

_absl = logging.getLogger("absl")
_PASSED_OVER = ("write_grads", "batch_size", "embeddings_layer_names", "embeddings_data")


class TensorBoard(Callback):
    """Writes losses, metrics and weights to the event files that TensorBoard reads.

    Args:
      log_dir: path of a folder; the files are in `train` and `validation` in it.
      histogram_freq: int: after every so many epochs histograms of the weights; 0 for none.
      write_graph: bool, whether the configuration of a Sequential or functional model is written, which TensorBoard
        shows as a graph of layers.
      write_images: bool, whether weights are written as images, too, with `histogram_freq`.
      write_steps_per_second: bool.
      update_freq: "epoch"; "batch" or int: losses and metrics after each batch, or after every so many. In batches that
        are written, `tf.summary` in the model writes, too.
      profile_batch: int or pair of ints: which batches JAX's profiler looks at; 0 for none.
      embeddings_freq: int: after every so many epochs the weights, for the embedding projector; 0 for never.
      embeddings_metadata: path, or dict from names of layers to paths, of what embeddings stand for; or None.
      **kwargs: old keywords, passed over with a warning as in Keras.

    Raises:
      ValueError: unknown keyword, or names of layers in `embeddings_metadata`; `profile_batch` is no such range.

    TF: `tf.keras.callbacks.TensorBoard`; the graph of ops of the train function is not written, as there is none.
    """

    _supports_tf_logs = True

    def __init__(self, log_dir="logs", histogram_freq=0, write_graph=True, write_images=False,
                 write_steps_per_second=False, update_freq: Any = "epoch", profile_batch: Any = 0, embeddings_freq=0,
                 embeddings_metadata: Any = None, **kwargs):  # fmt: skip
        super().__init__()
        self._validate_kwargs(kwargs)
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self._init_profile_batch(profile_batch)
        self._global_train_batch = 0
        self._writers: dict = {}
        self._contexts: list = []

    def _validate_kwargs(self, kwargs):
        for keyword in kwargs:
            if keyword not in _PASSED_OVER:
                raise ValueError(
                    f"Unrecognized arguments in `TensorBoard` Callback: {set(kwargs) - set(_PASSED_OVER)}. Supported "
                    f"kwargs are: {set(_PASSED_OVER)}"
                )
            _absl.warning("`%s` is passed over by the `TensorBoard` callback of TensorFlow 2.", keyword)

    def _init_profile_batch(self, profile_batch):
        self._start_batch, self._stop_batch = _range_of(profile_batch)
        self._should_trace = self._stop_batch > 0
        self._is_tracing = False

    def set_model(self, model):
        self.model = model
        self._log_write_dir = self._get_log_write_dir()
        self._train_dir = os.path.join(self._log_write_dir, "train")
        self._train_step = model._train_counter
        self._val_dir = os.path.join(self._log_write_dir, "validation")
        self._val_step = model._test_counter
        self._writers = {}
        if self.embeddings_freq:
            self._configure_embeddings()
        if self.write_graph:
            self._write_keras_model_summary()

    def _get_log_write_dir(self):
        return self.log_dir

    @property
    def _train_writer(self):
        return self._writer("train", self._train_dir)

    @property
    def _val_writer(self):
        return self._writer("val", self._val_dir)

    def _writer(self, kind, folder):
        if kind not in self._writers:
            self._writers[kind] = summary.create_file_writer(folder)
        return self._writers[kind]

    def _write_keras_model_summary(self):
        if not self.model._is_graph_network and type(self.model).__name__ != "Sequential":
            return
        try:
            text = self.model.to_json()
        except Exception as error:
            _absl.warning("Model failed to serialize as JSON. Ignoring... %s", error)
            return
        with _writing(self._train_writer) as summary:
            data = PluginData(plugin_name="graph_keras_model", content=b"1")
            summary.write("keras", text, 0, SummaryMetadata(plugin_data=data))

    def _configure_embeddings(self):
        lines, metadata = [], self.embeddings_metadata
        for layer in self.model.layers:
            if isinstance(layer, Embedding):
                lines += ["embeddings {", '  tensor_name: "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"']
                path = metadata.pop(layer.name, None) if isinstance(metadata, dict) else metadata
                lines += [f'  metadata_path: "{path}"'] if path is not None else []
                lines.append("}")
        if metadata and not isinstance(metadata, str):
            raise ValueError(
                "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` `embeddings_metadata` "
                f"argument: {metadata.keys()}"
            )
        os.makedirs(self._log_write_dir, exist_ok=True)
        with open(os.path.join(self._log_write_dir, "projector_config.pbtxt"), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    # --- summaries of batches ---------------------------------------------------------------------------------------

    def _push_writer(self, writer, step):
        """From here on, summaries in the model are written, every `update_freq` steps."""
        if self.update_freq == "epoch":
            return
        contexts = contextlib.ExitStack()
        contexts.enter_context(writer.as_default(step))
        contexts.enter_context(summary.record_if(lambda: equal(step % self.update_freq, 0)))
        self._contexts.append(contexts)

    def _pop_writer(self):
        if self.update_freq != "epoch":
            self._contexts.pop().close()

    def _close_writers(self):
        for writer in self._writers.values():
            writer.close()

    def _implements_train_batch_hooks(self):
        return self.update_freq != "epoch" or self.write_steps_per_second or self._should_trace

    def on_train_begin(self, logs=None):
        self._global_train_batch = 0
        self._push_writer(self._train_writer, self._train_step)

    def on_train_end(self, logs=None):
        self._pop_writer()
        if self._is_tracing:
            self._stop_trace()
        self._close_writers()

    def on_test_begin(self, logs=None):
        self._push_writer(self._val_writer, self._val_step)

    def on_test_end(self, logs=None):
        iterations = getattr(self.model.optimizer, "iterations", None)
        if iterations is not None:
            with _writing(self._val_writer) as summary:
                for name, value in (logs or {}).items():
                    summary.scalar(f"evaluation_{name}_vs_iterations", value, step=int(iterations))
        self._pop_writer()

    def on_train_batch_begin(self, batch, logs=None):
        self._global_train_batch += 1
        self._batch_start = time.time()
        if self._global_train_batch == self._start_batch:
            self._start_trace()

    def on_train_batch_end(self, batch, logs=None):
        step = int(self._train_step)
        if self.write_steps_per_second:
            summary.scalar("batch_steps_per_second", 1.0 / (time.time() - self._batch_start), step=step)
        if self.update_freq != "epoch" and step % self.update_freq == 0:
            for name, value in (logs or {}).items():
                summary.scalar(f"batch_{name}", value, step=step)
        if self._is_tracing and self._global_train_batch >= self._stop_batch:
            self._stop_trace()

    def _start_trace(self):
        jax.profiler.start_trace(self.log_dir)
        self._is_tracing = True

    def _stop_trace(self, batch=None):
        jax.profiler.stop_trace()
        self._is_tracing = False

    # --- summaries of epochs ----------------------------------------------------------------------------------------

    def on_epoch_begin(self, epoch, logs=None):
        if self.write_steps_per_second:
            self._previous_epoch_iterations = int(self.model.optimizer.iterations)
            self._epoch_start_time = time.time()

    def on_epoch_end(self, epoch, logs=None):
        self._log_epoch_metrics(epoch, logs)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._log_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._log_embeddings(epoch)

    def _collect_learning_rate(self, logs):
        optimizer = self.model.optimizer
        rate = getattr(optimizer, "_learning_rate", None) or getattr(optimizer, "_hyper", {}).get("learning_rate")
        if isinstance(rate, LearningRateSchedule):
            logs["learning_rate"] = rate(optimizer.iterations)
        return logs

    def _compute_steps_per_second(self):
        steps = int(self.model.optimizer.iterations) - self._previous_epoch_iterations
        return steps / (time.time() - self._epoch_start_time)

    def _log_epoch_metrics(self, epoch, logs):
        if not logs:
            return
        train = {name: value for name, value in logs.items() if not name.startswith("val_")}
        validation = {name[4:]: value for name, value in logs.items() if name.startswith("val_")}
        train = self._collect_learning_rate(train)
        if self.write_steps_per_second:
            train["steps_per_second"] = self._compute_steps_per_second()
        for values, kind in ((train, "_train_writer"), (validation, "_val_writer")):
            if values:
                with _writing(getattr(self, kind)) as summary:
                    for name, value in values.items():
                        summary.scalar(f"epoch_{name}", value, step=epoch)

    def _log_weights(self, epoch):
        with _writing(self._train_writer) as summary:
            for layer in self.model.layers:
                for weight in layer.weights:
                    name = weight.name.replace(":", "_")
                    summary.histogram(f"{name}/histogram", weight, step=epoch)
                    if self.write_images:
                        self._log_weight_as_image(weight, f"{name}/image", epoch)
        self._train_writer.flush()

    def _log_weight_as_image(self, weight, weight_name, epoch):
        picture = _picture(weight.numpy())
        if picture is not None:
            summary.image(weight_name, picture, step=epoch)

    def _log_embeddings(self, epoch):
        self.model.save_weights(os.path.join(self._log_write_dir, "train", f"keras_embedding.ckpt-{epoch}"))


@contextlib.contextmanager
def _writing(writer):
    with writer.as_default(), summary.record_if(True):
        yield summary


def _range_of(profile_batch):
    try:
        bounds = [int(part) for part in profile_batch.split(",")] if isinstance(profile_batch, str) else profile_batch
        start, stop = (bounds, bounds) if isinstance(bounds, int) else bounds
    except (TypeError, ValueError):
        start, stop = -1, -1
    if start < 0 or stop < start:
        raise ValueError(
            "profile_batch must be a non-negative integer or 2-tuple of positive integers. A pair of positive integers "
            f"signifies a range of batches to profile. Found: {profile_batch}"
        )
    return start, stop


def _picture(weight):
    """A weight as images [n, height, width, channels], or None."""
    weight = np.squeeze(weight)
    if weight.ndim == 1:
        weight = weight.reshape(1, -1, 1, 1)
    elif weight.ndim == 2:
        weight = weight.T if weight.shape[0] > weight.shape[1] else weight
        weight = weight[None, :, :, None]
    elif weight.ndim == 3:
        weight = np.transpose(weight, (2, 0, 1)) if _settings.image_data_format() == "channels_last" else weight
        weight = weight[..., None]
    return weight if weight.ndim == 4 and weight.shape[-1] in (1, 3, 4) else None


class RemoteMonitor(Callback):
    """Refused: logs are not sent anywhere. TF: `tf.keras.callbacks.RemoteMonitor`."""

    def __init__(self, root="http://localhost:9000", path="/publish/epoch/end/", field="data", headers=None,
                 send_as_json=False):  # fmt: skip
        raise UnimplementedError(
            None, None,
            "tf.keras.callbacks.RemoteMonitor is not available in tfcompat: use tf.keras.callbacks.LambdaCallback with "
            "urllib.request",
        )  # fmt: skip
