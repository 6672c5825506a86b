"""Text: at indices that are computed, and matched by regular expressions."""

from rows import raised, row, row_for


@row
def text_at_computed_indices(tf, np):
    names, numbers = tf.constant(["cat", "dog", "bird"]), tf.constant([[0.1, 0.9, 0.3], [0.8, 0.2, 0.1]])
    index = tf.argmax(numbers * 2.0, axis=1)
    return (
        tf.gather(names, index), names[index[0]], tf.gather_nd(names, index[:, None]),
        tf.where(numbers[0] > 0.2, names, "z"), tf.tensor_scatter_nd_update(names, [[index[0]]], ["x"]),
        tf.gather(tf.stack([names, names]), tf.math.top_k(numbers, 2).indices, batch_dims=1),
        tf.gather(names, tf.argsort(numbers[0] * 2.0)), tf.slice(names, [index[0] - 1], [2]),
        names[index[0] - 1 : index[0] + 1],
    )  # fmt: skip


@row
def text_at_indices_of_a_function(tf, np):
    names = tf.constant(["cat", "dog", "bird"])
    return tf.function(lambda i: tf.gather(names, i + 1))(tf.constant([1, 0]))


@row
def a_failure_with_text_leaves_other_values_alone(tf, np):
    x = tf.Variable([1.0, 2.0]) * 3.0
    failed = raised(lambda: tf.math.add(tf.constant(["a"]), tf.constant([1.0]) * 2.0))
    return x, type(failed).__name__


PATTERNS = (
    ("¿Dónde estás?", "[.?!,¿]", r" \0 "), ("é", ".", "x"), ("aéb", "[^a-z]", "_"), ("éé", "é+", "_"),
    ("ÉTÉ", "(?i)é", "_"), ("été", "É", "_"), ("日本", "", "-"), ("x [[y]]!", "[[:punct:]]", ""),
    ("a,b c", "[[:^alnum:]]", "_"), ("été 12", r"\w", "_"), ("foo bar", r"(\w+) (\w+)", r"\2-\1"),
    ("a1 b22", r"\pN+", "#"),
)  # fmt: skip


@row_for(number=range(len(PATTERNS)))
def regular_expressions(tf, np, number):
    text, pattern, rewrite = PATTERNS[number]
    once = tf.strings.regex_replace([text, "abc"], pattern, rewrite, replace_global=False)
    return tf.strings.regex_replace([text, "abc"], pattern, rewrite), once


@row
def whole_matches(tf, np):
    texts = tf.constant(["é", "éa", "a", "ü", ""])
    return [tf.strings.regex_full_match(texts, pattern) for pattern in (".", "[à-ü]", "é?a*", "[[:alpha:]]")]
