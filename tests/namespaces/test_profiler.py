"""`tf.profiler.experimental`: what is written, and what is refused."""

import pytest

import tfcompat as tf

profiler = tf.profiler.experimental


def test_a_trace_is_written(tmp_path):
    with profiler.Profile(str(tmp_path), options=profiler.ProfilerOptions(host_tracer_level=1)):
        with profiler.Trace("a training step", step_num=3, _r=1) as trace:
            trace.set_metadata(batch=7)
            assert float(tf.constant(1.0) + 1.0) == 2.0
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            profiler.start(tmp_path)
    (written,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    assert b"a training step" in written.read_bytes()
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()


def test_what_cannot_be_done_is_refused(tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match="delay_ms"):
        profiler.start(tmp_path, options=profiler.ProfilerOptions(delay_ms=10))
    profiler.start(tmp_path)
    with pytest.raises(tf.errors.UnimplementedError, match="save=False"):
        profiler.stop(save=False)
    profiler.stop()
    with pytest.raises(AttributeError, match="use jax.profiler.start_server"):
        profiler.client  # noqa: B018
