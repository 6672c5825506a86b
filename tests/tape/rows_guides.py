"""Programs as in TensorFlow's guides on functions, graphs, modules, checkpoints and saved models; what they print."""

import contextlib
import io
import os
import re
import tempfile

from rows import raised, row


def _shown(program):
    """The lines that a program prints in an empty folder, which is its argument, and what it returns."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        result = program(folder)
    return re.sub(r"0x[0-9a-fA-F]+", "0x", out.getvalue().replace(folder, "<folder>")).splitlines(), result


# --- functions ------------------------------------------------------------------------------------------------------


@row
def functions_are_traced_for_each_signature(tf, np):
    @tf.function
    def double(a):
        print("Tracing with", a)
        return a + a

    @tf.function
    def train(num_steps):
        print("Tracing with num_steps =", num_steps)
        tf.print("Executing with num_steps =", num_steps)
        for _ in tf.range(num_steps):
            pass
        return num_steps

    @tf.function(reduce_retracing=True)
    def g(x):
        print("Tracing with", x)
        return x

    @tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
    def next_collatz(x):
        print("Tracing with", x)
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    def program(folder):
        print(double(tf.constant(1)))
        print(double(tf.constant(1.1)))
        print(double(tf.constant([1.0, 2.0])))
        print(double(tf.constant(2)))
        print(double.pretty_printed_concrete_signatures())
        for argument in (10, 20, tf.constant(10), tf.constant(20)):
            print(int(train(argument)))
        for n in (2, 3, 4, 5):
            print(g(tf.zeros([n])).shape)
        print(next_collatz(tf.constant([1, 2])), next_collatz(tf.constant([3, 5, 8])))
        return (
            raised(lambda: next_collatz(tf.constant([[1, 2], [3, 4]])), "Can not cast TensorSpec(shape=(2, 2)"),
            raised(lambda: next_collatz(tf.constant([1.0, 2.0])), "Can not cast TensorSpec(shape=(2,), dtype=tf.fl"),
        )

    return _shown(program)


@row
def concrete_functions(tf, np):
    @tf.function
    def square(a, b=3):
        return a ** tf.constant(2.0) * float(b)

    def program(folder):
        concrete = square.get_concrete_function(a=tf.TensorSpec([None], tf.float32))
        print(concrete.pretty_printed_signature(verbose=False))
        print(concrete.structured_input_signature)
        of_one = square.get_concrete_function(tf.constant(1.0), b=4)
        print(of_one.structured_input_signature)
        print(of_one(tf.constant(10.0)), of_one(tf.constant(5.0), b=4), square(tf.constant(3.0)))
        return (
            raised(lambda: of_one(tf.constant(2)), "was expected to be a float tensor but is a int32 tensor"),
            raised(lambda: of_one(tf.constant(10.0), b=5)),
        )

    return _shown(program)


@row
def control_flow_of_tensors(tf, np):
    @tf.function
    def until_small(x):
        while tf.reduce_sum(x) > 1:
            tf.print(x)
            x = tf.tanh(x)
        return x

    @tf.function
    def fizzbuzz(n):
        for i in tf.range(1, n + 1):
            print("Tracing for loop")
            if i % 15 == 0:
                print("Tracing fizzbuzz branch")
                tf.print("fizzbuzz")
            elif i % 3 == 0:
                print("Tracing fizz branch")
                tf.print("fizz")
            elif i % 5 == 0:
                print("Tracing buzz branch")
                tf.print("buzz")
            else:
                print("Tracing default branch")
                tf.print(i)

    @tf.function
    def run_rows(step, rows, state):
        rows = tf.transpose(rows, [1, 0, 2])
        states = tf.TensorArray(tf.float32, size=tf.shape(rows)[0])
        for i in tf.range(tf.shape(rows)[0]):
            state = step(rows[i], state)
            states = states.write(i, state)
        return tf.transpose(states.stack(), [1, 0, 2])

    def program(folder):
        print(tf.round(until_small(tf.constant([0.5, 0.75, 1.0])) * 1e4))
        fizzbuzz(tf.constant(5))
        fizzbuzz(tf.constant(15))
        print(run_rows(lambda x, s: x + s, tf.reshape(tf.range(12.0), [2, 3, 2]), tf.zeros([2, 2])))

    return _shown(program)


@row
def side_effects_of_python(tf, np):
    seen, counter = [], iter([1, 2, 3])

    @tf.function
    def f(x):
        print("Traced with", x)
        tf.print("Executed with", x)

    @tf.function
    def appends(x):
        seen.append(x)
        return x * 2.0

    @tf.function
    def consumes(x):
        tf.print("Value:", x + next(counter))

    @tf.function
    def on_host(x):
        tf.print("before")
        tf.py_function(lambda v: print("py", v.numpy()), [x], [])
        return x

    class Model(tf.Module):
        def __init__(self):
            self.bias, self.weight = 0.0, tf.Variable(2.0)

    @tf.function
    def evaluate(model, x):
        return model.weight * x + model.bias

    number = 1.0

    @tf.function
    def adds(x):
        return x + number

    def program(folder):
        nonlocal number
        f(1), f(1), f(2)
        appends(tf.constant(1.0))
        print(len(seen), len([appends(tf.constant(2.0)) for _ in range(2)]), len(seen))
        consumes(tf.constant(10)), consumes(tf.constant(10))
        print(int(on_host(tf.constant(3))))
        model = Model()
        print(float(evaluate(model, tf.constant(10.0))))
        model.bias += 5.0
        print(float(evaluate(model, tf.constant(10.0))), float(evaluate(Model(), tf.constant(10.0))))
        print(float(adds(tf.constant(1.0))))
        number = 100.0
        print(float(adds(tf.constant(1.0))), float(adds(tf.constant([1.0]))[0]))

    return _shown(program)


@row
def variables_of_functions(tf, np):
    class Count(tf.Module):
        def __init__(self):
            self.count = None

        @tf.function
        def __call__(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    @tf.function
    def makes_one(x):
        return tf.Variable(x)

    opt1, opt2 = tf.keras.optimizers.SGD(0.1, momentum=0.5), tf.keras.optimizers.SGD(0.2, momentum=0.5)
    w = tf.Variable(2.0)

    @tf.function
    def step(optimizer):
        with tf.GradientTape() as tape:
            loss = w * w
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    def program(folder):
        count = Count()
        print(count(), count(), int(Count()()))
        of_each = [tf.function(step.python_function) for _ in range(2)]
        print([float(f(optimizer)) for f, optimizer in zip(of_each, (opt1, opt2), strict=True)], float(w))
        return raised(lambda: makes_one(1.0), "singleton"), len(opt1.variables())

    return _shown(program)


@row
def recursion(tf, np):
    @tf.function
    def factorial(n):
        print("Tracing", n)
        return n * factorial(n - 1) if n > 1 else 1

    def program(folder):
        print(int(factorial(4)))

    return _shown(program)


# --- graphs ---------------------------------------------------------------------------------------------------------


@row
def graphs_and_eager_execution(tf, np):
    def inner(x, y, b):
        return tf.matmul(x, y) + b

    @tf.function
    def outer(x):
        return inner(x, tf.constant([[2.0], [3.0]]), tf.constant(4.0))

    @tf.function
    def relu(x):
        return tf.maximum(0.0, x)

    @tf.function
    def mse(y_true, y_pred):
        print("Calculating MSE!")
        return tf.reduce_sum(tf.pow(y_true - y_pred, 2)) / 5

    def program(folder):
        print(outer(tf.constant([[1.0, 2.0]])).numpy())
        print(type(tf.function(inner)).__name__ == type(outer).__name__, type(inner).__name__)
        print(relu(tf.constant(5.5)), relu(tf.constant([3.0, -3.0])), relu(tf.constant([6.0, -1.0])))
        print(relu.pretty_printed_concrete_signatures())
        true, predicted = tf.constant([1, 5, 2]), tf.constant([3, 1, 4])
        mse(true, predicted), mse(true, predicted)
        print(round(float(mse(true, predicted)), 4))
        tf.config.run_functions_eagerly(True)
        try:
            mse(true, predicted), mse(true, predicted)
        finally:
            tf.config.run_functions_eagerly(False)
        print(mse.experimental_get_tracing_count())

    return _shown(program)


# --- modules --------------------------------------------------------------------------------------------------------


def _modules(tf):
    class Dense(tf.Module):
        def __init__(self, out_features, name=None):
            super().__init__(name=name)
            self.is_built, self.out_features = False, out_features

        def __call__(self, x):
            if not self.is_built:
                shape = [x.shape[-1], self.out_features]
                self.w = tf.Variable(tf.reshape(tf.range(1.0, 1.0 + shape[0] * shape[1]), shape), name="w")
                self.b = tf.Variable(tf.zeros([self.out_features]), name="b")
                self.is_built = True
            return tf.nn.relu(tf.matmul(x, self.w) + self.b)

    class Sequential(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.dense_1, self.dense_2 = Dense(3), Dense(2)

        @tf.function
        def __call__(self, x):
            return self.dense_2(self.dense_1(x))

    return Dense, Sequential


@row
def modules(tf, np):
    class Simple(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.a = tf.Variable(5.0, name="train_me")
            self.n = tf.Variable(5.0, trainable=False, name="do_not_train_me")

        def __call__(self, x):
            return self.a * x + self.n

    def program(folder):
        simple = Simple(name="simple")
        print(simple(tf.constant(5.0)), simple.name, simple.name_scope.name)
        print("trainable variables:", simple.trainable_variables)
        print("all variables:", simple.variables)
        Dense, Sequential = _modules(tf)
        model = Sequential(name="the_model")
        x = tf.constant([[2.0, 2.0, 2.0]])
        print(model(x))
        print("Submodules:", [type(m).__name__ for m in model.submodules])
        for variable in model.variables:
            print(variable, "\n")
        prefix = tf.train.Checkpoint(model=model).write(os.path.join(folder, "my_checkpoint"))
        print(sorted(os.listdir(folder)), prefix)
        print(tf.train.list_variables(prefix))
        new_model = Sequential()
        restored = tf.train.Checkpoint(model=new_model).restore(prefix)
        print(new_model(x))
        return raised(restored.assert_consumed)

    return _shown(program)


@row
def modules_of_keras(tf, np):
    layers = tf.keras.layers

    class MyDense(layers.Layer):
        def __init__(self, out_features, **kwargs):
            super().__init__(**kwargs)
            self.out_features = out_features

        def build(self, input_shape):
            shape = [input_shape[-1], self.out_features]
            self.w = self.add_weight(name="w", shape=shape, initializer="ones")
            self.b = self.add_weight(name="b", shape=[self.out_features], initializer="zeros")

        def call(self, x):
            return tf.matmul(x, self.w) + self.b

    class Model(tf.keras.Model):
        def __init__(self, name=None, **kwargs):
            super().__init__(**kwargs)
            self.dense_1, self.dense_2 = MyDense(3), MyDense(2)

        def call(self, x):
            return self.dense_2(self.dense_1(x))

    def program(folder):
        tf.keras.backend.clear_session()
        layer = MyDense(3)
        print(layer(tf.constant([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]])), layer.trainable_variables)
        model = Model(name="the_model")
        print(model(tf.constant([[2.0, 2.0, 2.0]])), len(model.variables), [x.name for x in model.submodules])
        inputs = tf.keras.Input(shape=[3])
        functional = tf.keras.Model(inputs, MyDense(2)(MyDense(3)(inputs)))
        functional.summary()
        print(functional(tf.constant([[2.0, 2.0, 2.0]])))
        return raised(lambda: layer(tf.constant([[2.0, 2.0]])))

    return _shown(program)


# --- checkpoints ----------------------------------------------------------------------------------------------------


@row
def checkpoints_of_training(tf, np):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.l1 = tf.keras.layers.Dense(5, kernel_initializer="ones")

        def call(self, x):
            return self.l1(x)

    def data():
        x = tf.range(10.0)[:, None]
        return tf.data.Dataset.from_tensor_slices({"x": x, "y": x * 5.0 + tf.range(5.0)[None, :]}).repeat().batch(2)

    def train(folder, steps):
        net, optimizer, dataset = Net(), tf.keras.optimizers.Adam(0.1), data()
        iterator = iter(dataset)
        checkpoint = tf.train.Checkpoint(step=tf.Variable(1), optimizer=optimizer, net=net, iterator=iterator)
        manager = tf.train.CheckpointManager(checkpoint, os.path.join(folder, "tf_ckpts"), max_to_keep=3)
        checkpoint.restore(manager.latest_checkpoint)
        print(f"Restored from {manager.latest_checkpoint}" if manager.latest_checkpoint else "Initializing.")
        for _ in range(steps):
            example = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.abs(net(example["x"]) - example["y"]))
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            checkpoint.step.assign_add(1)
            if int(checkpoint.step) % 4 == 0:
                print(f"Saved checkpoint for step {int(checkpoint.step)}: {manager.save()}")
                print(f"loss {float(loss):1.2f}")
        return manager, net

    def program(folder):
        train(folder, 9)
        manager, net = train(folder, 9)
        print(manager.checkpoints, sorted(os.listdir(manager.directory)))
        for name, shape in tf.train.list_variables(tf.train.latest_checkpoint(manager.directory)):
            if not name.startswith("iterator"):  # its position is noted in another way
                print(name, shape)
        to_restore = tf.Variable(tf.zeros([5]))
        fake_layer = tf.train.Checkpoint(bias=to_restore)
        fake_net = tf.train.Checkpoint(l1=fake_layer)
        new_root = tf.train.Checkpoint(net=fake_net)
        status = new_root.restore(tf.train.latest_checkpoint(manager.directory))
        print(np.round(to_restore.numpy(), 3))
        delayed = tf.Variable(tf.zeros([1, 5]))
        print(delayed.numpy())
        fake_layer.kernel = delayed
        saved = tf.train.load_variable(manager.latest_checkpoint, "net/l1/kernel/.ATTRIBUTES/VARIABLE_VALUE")
        print(np.array_equal(delayed.numpy(), saved))
        status.assert_existing_objects_matched()
        return raised(status.assert_consumed, "Unresolved object in checkpoint")

    return _shown(program)


@row
def checkpoints_of_lists_and_dicts(tf, np):
    def program(folder):
        save = tf.train.Checkpoint()
        save.listed = [tf.Variable(1.0)]
        save.listed.append(tf.Variable(2.0))
        save.mapped = {"one": save.listed[0]}
        save.mapped["two"] = save.listed[1]
        path = save.save(os.path.join(folder, "tf_list_example"))
        restore = tf.train.Checkpoint()
        v2 = tf.Variable(0.0)
        restore.mapped = {"two": v2}
        status = restore.restore(path)
        print(v2.numpy())
        v1 = tf.Variable(0.0)
        restore.listed = [v1]
        print(v1.numpy())
        status.assert_existing_objects_matched()
        print(path, sorted(os.listdir(folder)))
        print([(name, tf.train.load_variable(path, name).tolist()) for name, _ in tf.train.list_variables(path)[1:]])

    return _shown(program)


# --- saved models ---------------------------------------------------------------------------------------------------


@row
def saved_models(tf, np):
    class Custom(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)

        @tf.function
        def __call__(self, x):
            return x * self.v

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def mutate(self, new_v):
            self.v.assign(new_v)

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def control_flow(self, b):
            x = tf.constant(1)
            while b < 100:
                b += 1
                if b % 2 == 0:
                    x += b
            return x

    def program(folder):
        module, path = Custom(), os.path.join(folder, "module")
        module(tf.constant(0.0))
        print("Saving model...")
        tf.saved_model.save(module, path)
        imported = tf.saved_model.load(path)
        print(imported(tf.constant(3.0)))
        imported.mutate(tf.constant(2.0))
        print(imported(tf.constant(3.0)), imported.control_flow(tf.constant(90)))
        print(list(imported.signatures), imported.signatures["serving_default"].structured_input_signature)
        unmatched = raised(lambda: imported(tf.constant([3.0])), "Could not find matching concrete function to call")
        of_rows = module.__call__.get_concrete_function(x=tf.TensorSpec([None], tf.float32))
        tf.saved_model.save(module, path, signatures=of_rows)
        imported = tf.saved_model.load(path)
        print(imported(tf.constant([3.0])), imported(3.0), isinstance(imported, Custom))
        print(list(imported.signatures), imported.signatures["serving_default"].structured_outputs)
        print(imported.signatures["serving_default"](tf.constant([4.0])))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.constant(10.0) - imported(tf.constant(2.0))) ** 2.0)
        (gradient,) = tape.gradient(loss, [imported.v])
        imported.v.assign_sub(gradient * 0.1)
        print(gradient, imported.v, imported(tf.constant(2.0)))
        return unmatched, tf.saved_model.contains_saved_model(path), tf.saved_model.contains_saved_model(folder)

    return _shown(program)
