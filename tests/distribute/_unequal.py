"""Takes steps in two processes, of which the second one takes fewer, and prints as JSON what came of it.

    python tests/distribute/_unequal.py
"""

import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import tfcompat as tf  # noqa: E402


def main():
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=5.0)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    number = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def step():
        strategy.run(lambda: v.assign_add(1.0))
        return v * 1.0

    values, errors, begin = [], [], time.monotonic()
    for _ in range(2 if number else 4):
        begin = time.monotonic()
        try:
            values.append(float(step()))
        except tf.errors.DeadlineExceededError as late:
            errors.append(late.message)
    print(json.dumps({"values": values, "errors": errors, "seconds": time.monotonic() - begin}), flush=True)
    if number:
        time.sleep(8)  # does something else
    os._exit(0)  # the runtime waits for the others, too


if __name__ == "__main__":
    main()
