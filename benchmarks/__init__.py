"""Times the same programs on tfcompat, TensorFlow and JAX, side by side: `python -m benchmarks`."""
