"""What `tests/record.py` runs: one module for each kind of golden.

`record(tf, options)` asks TensorFlow and writes; `check(options)` needs no TensorFlow. Both return complaints, a list.
"""
