"""`tf.compat.v1.nn.rnn_cell`, and the functions that go through sequences with a cell."""

import collections
import inspect
import re

import tfcompat as tf
from tfcompat import nest
from tfcompat._core import graphs
from tfcompat.compat._scopes import get_variable, in_scope, variable_scope
from tfcompat.errors import UnimplementedError

LSTMStateTuple = collections.namedtuple("LSTMStateTuple", ["c", "h"])
LSTMStateTuple.__doc__ = "The state of an LSTM. TF: `tf.compat.v1.nn.rnn_cell.LSTMStateTuple`."


class RNNCell:
    """Base of cells: `cell(inputs, state)` gives (output, new state).

    A subclass has `call(inputs, state)`, `state_size` and `output_size`; `build(inputs_shape)` may make variables.
    TF: `tf.compat.v1.nn.rnn_cell.RNNCell`.
    """

    built = False

    def __init__(self, trainable=True, name=None, dtype=None, reuse=None):
        self.trainable, self.dtype, self._reuse = trainable, dtype, reuse
        self._name, self._scope = name, None
        self._variables: list = []

    @property
    def name(self):
        """The name of the scope of its variables."""
        words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", type(self).__name__)
        return self._name or re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()

    variables = property(lambda self: list(self._variables), doc="The variables.")
    trainable_variables = property(lambda self: [v for v in self._variables if v.trainable], doc="Those that train.")
    weights = variables

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        if "training" in kwargs and "training" not in inspect.signature(self.call).parameters:
            del kwargs["training"]
        with self._entered(scope):
            if not self.built:
                self.build(inputs.shape)
                self.built = True
            return self.call(inputs, state, *args, **kwargs)

    def _entered(self, scope):
        if self._scope is None or scope is not None:
            block = variable_scope(scope or self.name, reuse=self._reuse)
        else:
            block = variable_scope(self._scope, auxiliary_name_scope=False)
        return _Noted(self, block)

    def build(self, inputs_shape):
        """Makes the variables."""

    def call(self, inputs, state):
        """(output, new state)."""
        raise NotImplementedError

    def add_weight(self, name, shape, initializer=None, dtype=None, trainable=None, **options):
        """A variable of the cell."""
        variable = get_variable(name, shape, dtype or self.dtype, initializer,
                                trainable=self.trainable if trainable is None else trainable)  # fmt: skip
        self._variables.append(variable)
        return variable

    add_variable = add_weight

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        with tf.compat.v1.name_scope(f"{type(self).__name__}ZeroState"):
            def zeros(size):
                return tf.zeros([batch_size, *tf.TensorShape(size).as_list()], dtype)

            return nest.map_structure(zeros, self.state_size)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """`zero_state` for the batch and the dtype of `inputs`, a tensor, or for those that are given.

        Raises:
          ValueError: neither `inputs` nor both `batch_size` and `dtype`; or they are not those of `inputs`.
        """
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            size = inputs.shape[0]
            if batch_size is not None and size != (tf.get_static_value(batch_size) if tf.is_tensor(batch_size)
                                                   else batch_size):  # fmt: skip
                raise ValueError(
                    "batch size from input tensor is different from the input param. "
                    f"Input tensor batch: {size}, batch_size: {batch_size}"
                )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. "
                    f"Input tensor dtype: {inputs.dtype}, dtype: {dtype}"
                )
            batch_size, dtype = size or tf.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)


class _Noted:
    """Enters a scope of variables, which the cell keeps for its next call."""

    def __init__(self, cell, block):
        self._cell, self._block = cell, block

    def __enter__(self):
        scope = self._block.__enter__()
        if graphs.state.run is None:
            self._cell._scope = self._cell._scope or scope

    def __exit__(self, *exception):
        return self._block.__exit__(*exception)


def _sized(size, units):
    if units is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {size}")
    return units


class BasicRNNCell(RNNCell):
    """`h = activation([inputs, h] @ kernel + bias)`. TF: `tf.compat.v1.nn.rnn_cell.BasicRNNCell`."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, reuse=reuse)
        self._units, self._activation = num_units, activation or tf.tanh

    state_size = property(lambda self: self._units)
    output_size = property(lambda self: self._units)

    def build(self, inputs_shape):
        depth = _sized(inputs_shape, inputs_shape[-1])
        self._kernel = self.add_weight("kernel", [depth + self._units, self._units])
        self._bias = self.add_weight("bias", [self._units], tf.compat.v1.zeros_initializer)

    def call(self, inputs, state):
        output = self._activation(tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._kernel), self._bias))
        return output, output


class GRUCell(RNNCell):
    """Cho et al. 2014, arXiv:1406.1078. TF: `tf.compat.v1.nn.rnn_cell.GRUCell`."""

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None,
                 name=None, dtype=None, **kwargs):  # fmt: skip
        super().__init__(name=name, dtype=dtype, reuse=reuse)
        self._units, self._activation = num_units, activation or tf.tanh
        self._initializers = kernel_initializer, bias_initializer

    state_size = property(lambda self: self._units)
    output_size = property(lambda self: self._units)

    def build(self, inputs_shape):
        rows, units = _sized(inputs_shape, inputs_shape[-1]) + self._units, self._units
        kernel, bias = self._initializers
        v1 = tf.compat.v1
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], kernel)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], bias or v1.constant_initializer(1.0))
        self._candidate_kernel = self.add_weight("candidate/kernel", [rows, units], kernel)
        self._candidate_bias = self.add_weight("candidate/bias", [units], bias or v1.zeros_initializer)

    def call(self, inputs, state):
        gates = tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel)
        reset, update = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias)), 2, 1)
        candidate = tf.matmul(tf.concat([inputs, reset * state], 1), self._candidate_kernel)
        candidate = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        new = update * state + (1 - update) * candidate
        return new, new


class LSTMCell(RNNCell):
    """Hochreiter and Schmidhuber 1997, with peepholes, clipping and projection as options.

    TF: `tf.compat.v1.nn.rnn_cell.LSTMCell`, without partitions.
    """

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None,
                 num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, **kwargs):  # fmt: skip
        super().__init__(name=name, dtype=dtype, reuse=reuse)
        self._units, self._activation = num_units, activation or tf.tanh
        self._peepholes, self._clip, self._initializer = use_peepholes, cell_clip, initializer
        self._projection, self._projection_clip = num_proj, proj_clip
        self._forget_bias, self._is_tuple = forget_bias, state_is_tuple

    output_size = property(lambda self: self._projection or self._units)

    @property
    def state_size(self):
        """LSTMStateTuple of the sizes, or their sum."""
        sizes = LSTMStateTuple(self._units, self.output_size)
        return sizes if self._is_tuple else sum(sizes)

    def build(self, inputs_shape):
        rows = _sized(inputs_shape, inputs_shape[-1]) + self.output_size
        self._kernel = self.add_weight("kernel", [rows, 4 * self._units], self._initializer)
        self._bias = self.add_weight("bias", [4 * self._units], tf.compat.v1.zeros_initializer)
        if self._peepholes:
            self._diagonals = [
                self.add_weight(f"w_{gate}_diag", [self._units], self._initializer) for gate in ("f", "i", "o")
            ]
        if self._projection is not None:
            self._projected = self.add_weight("projection/kernel", [self._units, self._projection], self._initializer)

    def call(self, inputs, state):
        sizes = [self._units, self.output_size]
        c, h = state if self._is_tuple else tf.split(state, sizes, 1)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(gates, 4, 1)
        if self._peepholes:
            of_f, of_i, of_o = self._diagonals
            f, i = f + of_f * c, i + of_i * c
        c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * self._activation(j)
        if self._clip is not None:
            c = tf.clip_by_value(c, -self._clip, self._clip)
        if self._peepholes:
            o = o + of_o * c
        h = tf.sigmoid(o) * self._activation(c)
        if self._projection is not None:
            h = tf.matmul(h, self._projected)
            if self._projection_clip is not None:
                h = tf.clip_by_value(h, -self._projection_clip, self._projection_clip)
        return h, LSTMStateTuple(c, h) if self._is_tuple else tf.concat([c, h], 1)


class BasicLSTMCell(LSTMCell):
    """An LSTM without options. TF: `tf.compat.v1.nn.rnn_cell.BasicLSTMCell`."""

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None,
                 dtype=None, **kwargs):  # fmt: skip
        super().__init__(num_units, forget_bias=forget_bias, state_is_tuple=state_is_tuple, activation=activation,
                         reuse=reuse, name=name, dtype=dtype)  # fmt: skip


class MultiRNNCell(RNNCell):
    """Cells one above the other. TF: `tf.compat.v1.nn.rnn_cell.MultiRNNCell`."""

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not state_is_tuple:
            raise UnimplementedError(None, None, "tf.compat.v1.nn.rnn_cell.MultiRNNCell: use state_is_tuple=True")
        self._cells = list(cells)

    state_size = property(lambda self: tuple([cell.state_size for cell in self._cells]))
    output_size = property(lambda self: self._cells[-1].output_size)
    variables = property(lambda self: [v for cell in self._cells for v in cell.variables], doc="The variables.")

    def call(self, inputs, state):
        states = []
        for number, (cell, of_cell) in enumerate(zip(self._cells, state, strict=True)):
            with variable_scope(f"cell_{number}"):
                inputs, new = cell(inputs, of_cell)
            states.append(new)
        return inputs, tuple(states)


class _Wrapper(RNNCell):
    """Base of cells around another, whose variables are the other's."""

    def __init__(self, cell):
        super().__init__()
        self._cell = cell

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    variables = property(lambda self: self._cell.variables, doc="The variables.")

    def __call__(self, inputs, state, scope=None):
        return self.call(inputs, state, scope)

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)


class DropoutWrapper(_Wrapper):
    """A cell whose inputs, outputs and states lose elements.

    TF: `tf.compat.v1.nn.rnn_cell.DropoutWrapper`, without `variational_recurrent`.
    """

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
                 variational_recurrent=False, input_size=None, dtype=None, seed=None,
                 dropout_state_filter_visitor=None, **kwargs):  # fmt: skip
        super().__init__(cell)
        if variational_recurrent or dropout_state_filter_visitor is not None:
            raise UnimplementedError(
                None, None,
                "tf.compat.v1.nn.rnn_cell.DropoutWrapper: variational_recurrent and dropout_state_filter_visitor are "
                "not available in tfcompat",
            )  # fmt: skip
        self._keep, self._seed = (input_keep_prob, state_keep_prob, output_keep_prob), seed

    def _dropped(self, x, keep):
        if isinstance(keep, int | float) and keep >= 1.0:
            return x
        return tf.nn.dropout(x, 1 - keep, seed=self._seed)

    def call(self, inputs, state, scope=None):
        of_inputs, of_state, of_output = self._keep
        output, new = self._cell(self._dropped(inputs, of_inputs), state, scope)
        if isinstance(new, LSTMStateTuple):
            new = LSTMStateTuple(new.c, self._dropped(new.h, of_state))
        else:
            new = nest.map_structure(lambda x: self._dropped(x, of_state), new)
        return self._dropped(output, of_output), new


class ResidualWrapper(_Wrapper):
    """A cell whose inputs are added to its outputs. TF: `tf.compat.v1.nn.rnn_cell.ResidualWrapper`."""

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell)
        self._residual = residual_fn or (lambda inputs, outputs: nest.map_structure(tf.add, inputs, outputs))

    def call(self, inputs, state, scope=None):
        outputs, new = self._cell(inputs, state, scope)
        return self._residual(inputs, outputs), new


class DeviceWrapper(_Wrapper):
    """The cell itself: XLA places operations. TF: `tf.compat.v1.nn.rnn_cell.DeviceWrapper`."""

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell)

    def call(self, inputs, state, scope=None):
        return self._cell(inputs, state, scope)


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None,
                swap_memory=False, time_major=False, scope=None):  # fmt: skip
    """The outputs of a cell along sequences, and its last state.

    Args:
      cell: RNNCell.
      inputs: tensor [batch, time, depth], or [time, batch, depth] if `time_major`.
      sequence_length: integers [batch]: outputs beyond are zeros, and the state stays.
      initial_state: by default zeros of `dtype`.
      dtype: of these; it may be left out if there is a state.
      parallel_iterations, swap_memory: of no effect.
      scope: name or scope of the variables, by default "rnn".

    Returns:
      (outputs, state).

    Raises:
      ValueError: neither `initial_state` nor `dtype`.

    TF: `tf.compat.v1.nn.dynamic_rnn`; inputs that are nests of tensors are not available.
    """
    if initial_state is None and dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    inputs = tf.convert_to_tensor(inputs)
    with variable_scope(scope or "rnn") as entered:
        batch = inputs.shape.as_list()[1 if time_major else 0]
        batch = tf.shape(inputs)[1 if time_major else 0] if batch is None else batch
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state

        def run(inputs, state, lengths):
            inputs = inputs if time_major else tf.transpose(inputs, [1, 0, 2])
            mask = None
            if lengths is not None:
                mask = tf.transpose(tf.sequence_mask(lengths, tf.shape(inputs)[0]))
            outputs, last = in_scope(entered, _unrolled, cell, inputs, state, mask)
            return outputs if time_major else tf.transpose(outputs, [1, 0, 2]), last

        # Variables belong to the graph around the loop.
        first = inputs[0] if time_major else inputs[:, 0]
        with graphs.current().control_dependencies(None) if graphs.current() else _nothing():
            cell(first, state)
        if graphs.current() is None:
            return run(inputs, state, sequence_length)
        return graphs.record(run, (inputs, state, sequence_length), {}, "while", "While")


class _nothing:
    def __enter__(self):
        pass

    def __exit__(self, *exception):
        pass


def _unrolled(cell, inputs, state, mask):
    """The outputs along the first axis, and the last state."""
    flat = nest.flatten(state)

    def step(x, states):
        output, new = cell(x, nest.pack_sequence_as(state, list(states)))
        return output, nest.flatten(new)

    last, outputs, states = tf.keras.backend.rnn(
        step, inputs, flat, mask=mask, time_major=True, zero_output_for_mask=mask is not None,
        input_length=inputs.shape[0],
    )  # fmt: skip
    return outputs, nest.pack_sequence_as(state, list(states))


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None,
                              initial_state_bw=None, dtype=None, parallel_iterations=None, swap_memory=False,
                              time_major=False, scope=None):  # fmt: skip
    """`dynamic_rnn` from either end: ((outputs, outputs), (state, state)).

    TF: `tf.compat.v1.nn.bidirectional_dynamic_rnn`.
    """
    time, batch = (0, 1) if time_major else (1, 0)

    def reversed_(x):
        if sequence_length is None:
            return tf.reverse(x, [time])
        return tf.reverse_sequence(x, sequence_length, time, batch)

    with variable_scope(scope or "bidirectional_rnn"):
        forward, state_fw = dynamic_rnn(cell_fw, inputs, sequence_length, initial_state_fw, dtype,
                                        time_major=time_major, scope="fw")  # fmt: skip
        backward, state_bw = dynamic_rnn(cell_bw, reversed_(inputs), sequence_length, initial_state_bw, dtype,
                                         time_major=time_major, scope="bw")  # fmt: skip
        return (forward, reversed_(backward)), (state_fw, state_bw)


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """The list of outputs for a list of inputs [batch, depth], and the last state.

    TF: `tf.compat.v1.nn.static_rnn`.
    """
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "rnn"):
        batch = inputs[0].shape.as_list()[0]
        batch = tf.shape(inputs[0])[0] if batch is None else batch
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state
        outputs = []
        for time, x in enumerate(inputs):
            output, new = cell(x, state)
            if sequence_length is not None:
                there = tf.expand_dims(time < tf.convert_to_tensor(sequence_length), 1)
                output = tf.where(there, output, tf.zeros_like(output))
                new = nest.map_structure(lambda a, b, there=there: tf.where(there, a, b), new, state)
            outputs.append(output)
            state = new
        return outputs, state




def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None,
                             sequence_length=None, scope=None):  # fmt: skip
    """`static_rnn` from either end: (list of joined outputs, state forwards, state backwards).

    TF: `tf.compat.v1.nn.static_bidirectional_rnn`.
    """
    def reversed_(values):
        if sequence_length is None:
            return list(reversed(values))
        return tf.unstack(tf.reverse_sequence(tf.stack(values), sequence_length, 0, 1))

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as scope_fw:
            forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope_fw)
        with variable_scope("bw") as scope_bw:
            backward, state_bw = static_rnn(
                cell_bw, reversed_(inputs), initial_state_bw, dtype, sequence_length, scope_bw
            )
    both = zip(forward, reversed_(backward), strict=True)
    return [tf.concat([a, b], 1) for a, b in both], state_fw, state_bw


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """A loop with a cell, in which a function makes each input from what the cell gave before.

    Args:
      cell: RNNCell.
      loop_fn: function of (time, cell_output, cell_state, loop_state), a scalar and nests of tensors, to
        (elements_finished, next_input, next_cell_state, emit_output, next_loop_state). It is called once before the
        loop with time 0 and None for the rest; then `next_cell_state` is the first state and `emit_output` an example
        of an output without the axis of the batch, or None for outputs of the cell's size. `elements_finished` is a
        bool [batch]: the loop ends when all are. Outputs of finished elements are zeros, and their state stays.
      parallel_iterations, swap_memory: of no effect.
      scope: name or scope of the variables, by default "rnn".

    Returns:
      (emit_ta, final_state, final_loop_state), in which `emit_ta` is a nest of `tf.TensorArray`s, one for each output.

    Raises:
      TypeError: `loop_fn` is no function.

    TF: `tf.compat.v1.nn.raw_rnn`.
    """
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn") as entered:
        time = tf.constant(0, tf.int32)
        finished, first_input, state, emitted, first_loop_state = loop_fn(time, None, None, None)
        first_input = nest.map_structure(tf.convert_to_tensor, first_input)
        state = nest.map_structure(_tensor_or_array, state)
        known = nest.flatten(first_input)[0].shape[0]
        batch = tf.shape(nest.flatten(first_input)[0])[0] if known is None else known
        if emitted is None:
            like, dtype = cell.output_size, nest.flatten(state)[0].dtype
            sizes = [(tf.TensorShape(size).as_list(), dtype) for size in nest.flatten(like)]
        else:
            like = emitted
            sizes = [(x.shape.as_list(), x.dtype) for x in map(tf.convert_to_tensor, nest.flatten(emitted))]
        zeros = [tf.zeros([batch, *size], dtype) for size, dtype in sizes]
        arrays = [
            tf.TensorArray(dtype, 0, dynamic_size=True, element_shape=[known, *size], name=f"rnn_output_{i}")
            for i, (size, dtype) in enumerate(sizes)
        ]
        with graphs.current().control_dependencies(None) if graphs.current() else _nothing():
            cell(first_input, state)  # variables belong to the graph around the loop
        loop_state = tf.constant(0) if first_loop_state is None else first_loop_state

        def turn(time, finished, inputs, arrays, state, loop_state):
            output, new = in_scope(entered, cell, inputs, state)
            given = None if first_loop_state is None else loop_state
            also_finished, inputs, new, emit, following = loop_fn(time + 1, output, new, given)
            if following is None:
                following = loop_state
            kept = [_where(finished, old, x) for old, x in zip(zeros, nest.flatten(emit), strict=True)]
            arrays = [array.write(time, x) for array, x in zip(arrays, kept, strict=True)]
            state = nest.map_structure(lambda old, x: _where(finished, old, x), state, new)
            return time + 1, tf.logical_or(finished, also_finished), inputs, arrays, state, following

        start = time, tf.convert_to_tensor(finished), first_input, arrays, state, loop_state
        *_, arrays, state, loop_state = tf.while_loop(
            lambda time, finished, *others: tf.logical_not(tf.reduce_all(finished)), turn, start,
        )  # fmt: skip
        outputs = nest.pack_sequence_as(like, list(arrays))
        return outputs, state, None if first_loop_state is None else loop_state


def _tensor_or_array(x):
    return x if isinstance(x, tf.TensorArray) else tf.convert_to_tensor(x)


def _where(finished, old, new):
    """`old` for the elements that are finished. Scalars and arrays of tensors are always new."""
    if isinstance(new, tf.TensorArray) or not hasattr(new, "shape") or new.shape.rank == 0:
        return new
    new = tf.convert_to_tensor(new)
    return tf.where(tf.reshape(finished, [-1] + [1] * (len(new.shape) - 1)), old, new)
