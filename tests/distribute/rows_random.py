"""Random numbers of replicas."""

from rows import row, row_for

from distribute._replicas import each, number, of


def _way(tf, way, function):
    return tf.function(function) if way == "function" else function


@row_for(way=["eager", "function"], replicas=[2, 4])
def normal(tf, way, replicas):
    strategy = of(tf, replicas)
    tf.random.set_seed(7)
    step = _way(tf, way, lambda: strategy.run(lambda: (tf.random.normal([2]), tf.random.uniform([1], seed=3))))
    return [each(strategy, step()) for _ in range(2)]


@row_for(way=["eager", "function"])
def stateless(tf, way):
    strategy = of(tf)
    step = _way(tf, way, lambda: strategy.run(
        lambda: tf.random.stateless_normal([2], tf.stack([number(tf, tf.int32), 3]))
    ))  # fmt: skip
    return each(strategy, step())


@row_for(way=["eager", "function"])
def generators(tf, way):
    strategy = of(tf)
    with strategy.scope():
        generator = tf.random.Generator.from_seed(5)
    step = _way(tf, way, lambda: strategy.run(lambda: generator.normal([2])))
    return [each(strategy, step()) for _ in range(2)], [part.numpy() for part in generator.state.values]


@row_for(way=["eager", "function", "function in replicas"])
def generators_in_one_place(tf, way):
    """A CentralStorageStrategy moves a generator on once for all replicas, which have keys of their own."""
    strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0")
    with strategy.scope():
        generator = tf.random.Generator.from_seed(5)

    def draw():
        keys = generator.split(1)[0].normal([1]) if way == "eager" else generator.make_seeds(1)
        return generator.normal([2]), generator.uniform([1]), keys

    draw = tf.function(draw) if way == "function in replicas" else draw
    step = _way(tf, way, lambda: strategy.run(draw))
    drawn = [each(strategy, step()) for _ in range(2)]
    outside = generator.normal([1]), generator.state.numpy()
    generator.reset_from_seed(3)
    generator.skip(2)
    return drawn, outside, each(strategy, step()), generator.state.numpy()


@row
def generators_outside(tf):
    generator = tf.random.Generator.from_seed(5)
    strategy = of(tf)
    outside = generator.normal([2])
    with strategy.scope():
        inside = tf.random.Generator.from_seed(5).normal([2])
    return outside, inside


@row_for(way=["eager", "function"])
def generators_within_and_outside(tf, way):
    strategy = of(tf)
    with strategy.scope():
        generator = tf.random.Generator.from_seed(5)
    within, outside = (lambda: strategy.run(lambda: generator.normal([2]))), (lambda: generator.normal([2]))
    if way == "function":
        within, outside = tf.function(within), tf.function(outside)
    return each(strategy, within()), outside(), each(strategy, within()), outside(), each(strategy, within())


@row
def generators_in_checkpoints(tf, folder):
    strategy = of(tf)
    with strategy.scope():
        generator = tf.random.Generator.from_seed(5)
    checkpoint = tf.train.Checkpoint(generator=generator)
    strategy.run(lambda: generator.normal([2]))
    path = checkpoint.write(f"{folder}/x")
    first = each(strategy, strategy.run(lambda: generator.normal([2])))
    checkpoint.read(path).assert_consumed()
    return first, each(strategy, strategy.run(lambda: generator.normal([2])))


@row
def shuffles(tf):
    strategy = of(tf)
    tf.random.set_seed(7)
    return each(strategy, strategy.run(lambda: tf.random.shuffle(tf.range(5))))


@row_for(before=[1, 2, 4], after=[1, 2, 4])
def generators_under_other_numbers_of_replicas(tf, folder, before, after):
    drawn = []
    for replicas, way in ((before, "write"), (after, "read")):
        strategy = of(tf, replicas) if replicas > 1 else tf.distribute.get_strategy()
        with strategy.scope():
            generator = tf.random.Generator.from_seed(5)
        checkpoint = tf.train.Checkpoint(generator=generator)
        if way == "write":
            drawn.append(each(strategy, strategy.run(lambda generator=generator: generator.normal([2]))))
            checkpoint.write(f"{folder}/x")
        else:
            checkpoint.read(f"{folder}/x").assert_consumed()
        drawn.append(each(strategy, strategy.run(lambda generator=generator: generator.normal([2]))))
        drawn.append(generator.state.numpy())
    return drawn
