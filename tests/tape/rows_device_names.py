"""Names of devices: what their parts mean, in `tf.DeviceSpec` and in `tf.device`."""

from rows import raised, row_for

NAMES = {
    "in full": "/job:localhost/replica:0/task:0/device:CPU:0",
    "parts without a name": ":/CPU:0",
    "a number without a device": ":CPU:0",
    "slashes": "//cpu:0/",
    "one slash": "/",
    "a colon": ":",
    "a space after the number": "/CPU:0 ",
    "any number": "/device:CPU:*",
    "without a number": "cpu",
    "device without a number": "/device:CPU",
    "device and nothing": "/device:",
    "no number but text": "CPU:x",
    "four parts": "/device:CPU:0:1",
    "an unknown part": "/x:CPU:0",
    "an unknown word": "nonsense",
    "an unknown task": "/task:x/CPU:0",
    "two devices": "/cpu:0/cpu:0",
    "only a job": "/job:localhost",
}


def _outcome(call):
    results = []
    error = raised(lambda: results.append(call()))
    return results[0] if results else error


@row_for(name=list(NAMES))
def the_parts_of_a_device_s_name(tf, name):
    def parts():
        spec = tf.DeviceSpec.from_string(NAMES[name])
        return spec.to_string(), spec.device_type, spec.device_index, spec.job, spec.task

    return _outcome(parts)


@row_for(name=list(NAMES), graph=[False, True])
def a_device_by_name(tf, name, graph):
    def within():
        with tf.device(NAMES[name]):
            return tf.constant([1.0, 2.0]) * 2.0

    return _outcome(tf.function(within, autograph=False) if graph else within)
