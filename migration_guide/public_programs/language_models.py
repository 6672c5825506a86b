"""Hugging Face's transformers: a classifier by `fit`, saved and loaded; a model of text, trained, which writes."""

import tempfile

import numpy as np
import tensorflow as tf
from transformers import (
    BertConfig,
    GPT2Config,
    TFBertForSequenceClassification,
    TFGPT2LMHeadModel,
    create_optimizer,
    set_seed,
)

set_seed(3)
words = np.random.RandomState(3).randint(1, 60, (64, 10)).astype(np.int32)
mask = np.ones_like(words)
mask[::3, 7:] = 0
classifier = TFBertForSequenceClassification(BertConfig(
    vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, num_labels=3
))  # fmt: skip
optimizer, _ = create_optimizer(init_lr=5e-3, num_train_steps=40, num_warmup_steps=5, weight_decay_rate=0.01)
classifier.compile(optimizer, metrics=["accuracy"])
batches = tf.data.Dataset.from_tensor_slices(
    {"input_ids": words, "attention_mask": mask, "labels": (words[:, 0] % 3).astype(np.int64)}
).batch(16)
history = classifier.fit(batches, epochs=10, verbose=0).history
for epoch, (loss, accuracy) in enumerate(zip(history["loss"], history["accuracy"], strict=True)):
    print(f"epoch {epoch} {loss:.7f} {accuracy:.7f}")
with tempfile.TemporaryDirectory() as folder:
    classifier.save_pretrained(folder, safe_serialization=True)
    again = TFBertForSequenceClassification.from_pretrained(folder)
given, loaded = (model(input_ids=words, attention_mask=mask).logits for model in (classifier, again))
print("loaded", f"{float(tf.reduce_max(tf.abs(given - loaded))):.7f}", [f"{x:.7f}" for x in given[0].numpy()])

writer = TFGPT2LMHeadModel(GPT2Config(
    vocab_size=60, n_positions=32, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=59, pad_token_id=59
))  # fmt: skip
optimizer = tf.keras.optimizers.Adam(5e-3)


@tf.function
def step(tokens):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(writer(input_ids=tokens, labels=tokens, training=True).loss)
    gradients = tape.gradient(loss, writer.trainable_variables)
    optimizer.apply_gradients(zip(gradients, writer.trainable_variables, strict=True))
    return loss


for number in range(30):
    print(f"step {number} {float(step(tf.constant(words[number % 4 :: 4]))):.7f}")
prompt = tf.constant(words[:2, :4])
print("greedy", writer.generate(prompt, max_new_tokens=8, do_sample=False).numpy().tolist())
print("beams", writer.generate(prompt, max_new_tokens=8, num_beams=3, early_stopping=True).numpy().tolist())
print("sample", writer.generate(prompt, max_new_tokens=8, do_sample=True, seed=[1, 2], top_k=10).numpy().tolist())
