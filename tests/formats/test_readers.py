"""Readers refuse damaged files."""

import pytest

from .fuzz_readers import READERS, fuzz


@pytest.mark.parametrize("name", READERS)
def test_readers_survive_damage(name, caplog):
    """`fuzz_readers.py` gives them more."""
    caplog.set_level("CRITICAL", "tensorflow")
    assert 0 <= fuzz(name, 100) < 100
