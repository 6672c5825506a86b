"""The methods of `Model` that are not available, with the signatures of Keras, and what to do instead."""

from tfcompat.errors import UnimplementedError

_LOOP = "write the loop: call the model under tf.GradientTape, and apply the gradients to its variables"
_CALL = "call the model itself, model(x, training=False)"
_MEASURE = f"{_CALL}, and compute the loss of the result"
_SAVE = "keep the arrays of get_weights(), or save a tf.Module with tf.saved_model.save"


def _refuse(method, instead):
    raise UnimplementedError(None, None, f"tf.keras.Model.{method} is not available in tfcompat: {instead}")


class NotTrainedHere:
    """Refuses Keras's own training loop, and saving."""

    def compile(
        self,
        optimizer="rmsprop",
        loss=None,
        metrics=None,
        loss_weights=None,
        weighted_metrics=None,
        run_eagerly=None,
        steps_per_execution=None,
        jit_compile=None,
        pss_evaluation_shards=0,
        **kwargs,
    ):
        """Not available: write the loop with tf.GradientTape."""
        _refuse("compile", _LOOP)

    def fit(
        self,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        validation_split=0.0,
        validation_data=None,
        shuffle=True,
        class_weight=None,
        sample_weight=None,
        initial_epoch=0,
        steps_per_epoch=None,
        validation_steps=None,
        validation_batch_size=None,
        validation_freq=1,
        max_queue_size=10,
        workers=1,
        use_multiprocessing=False,
    ):
        """Not available: write the loop with tf.GradientTape."""
        _refuse("fit", _LOOP)

    def train_step(self, data):
        """Not available: write the loop with tf.GradientTape."""
        _refuse("train_step", _LOOP)

    def train_on_batch(
        self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True, return_dict=False
    ):
        """Not available: write the loop with tf.GradientTape."""
        _refuse("train_on_batch", _LOOP)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        """Not available: write the loop with tf.GradientTape."""
        _refuse("compute_loss", _LOOP)

    def make_train_function(self, force=False):
        """Not available: write the loop with tf.GradientTape."""
        _refuse("make_train_function", _LOOP)

    def evaluate(
        self,
        x=None,
        y=None,
        batch_size=None,
        verbose="auto",
        sample_weight=None,
        steps=None,
        callbacks=None,
        max_queue_size=10,
        workers=1,
        use_multiprocessing=False,
        return_dict=False,
        **kwargs,
    ):
        """Not available: call the model, and compute the loss of the result."""
        _refuse("evaluate", _MEASURE)

    def test_step(self, data):
        """Not available: call the model, and compute the loss of the result."""
        _refuse("test_step", _MEASURE)

    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True, return_dict=False):
        """Not available: call the model, and compute the loss of the result."""
        _refuse("test_on_batch", _MEASURE)

    def compute_metrics(self, x, y, y_pred, sample_weight):
        """Not available: call the model, and compute the loss of the result."""
        _refuse("compute_metrics", _MEASURE)

    def predict(
        self,
        x,
        batch_size=None,
        verbose="auto",
        steps=None,
        callbacks=None,
        max_queue_size=10,
        workers=1,
        use_multiprocessing=False,
    ):
        """Not available: call the model itself."""
        _refuse("predict", _CALL)

    def predict_step(self, data):
        """Not available: call the model itself."""
        _refuse("predict_step", _CALL)

    def predict_on_batch(self, x):
        """Not available: call the model itself."""
        _refuse("predict_on_batch", _CALL)

    def save(self, filepath, overwrite=True, save_format=None, **kwargs):
        """Not available: use get_weights(), or tf.saved_model.save."""
        _refuse("save", _SAVE)

    def save_weights(self, filepath, overwrite=True, save_format=None, options=None):
        """Not available: use get_weights(), or tf.saved_model.save."""
        _refuse("save_weights", _SAVE)

    def load_weights(self, filepath, skip_mismatch=False, by_name=False, options=None):
        """Not available: use get_weights(), or tf.saved_model.save."""
        _refuse("load_weights", _SAVE)

    def export(self, filepath):
        """Not available: use get_weights(), or tf.saved_model.save."""
        _refuse("export", _SAVE)

    def to_json(self, **kwargs):
        """Not available: use get_config()."""
        _refuse("to_json", "use get_config()")
