"""`Module` and `name_scope`: what TensorFlow gives; names in threads and in traced functions."""

import threading

import pytest

from tables import _table
from tfcompat._core.module import camel_to_snake
from tfcompat._core.name_scope import current_scope, function_names, name_scope, unique_variable_name


@_table.parametrize("module")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


def test_scopes_belong_to_their_thread():
    seen = []
    with name_scope("here"):
        thread = threading.Thread(target=lambda: seen.append(current_scope()))
        thread.start()
        thread.join()
    assert seen == [""]


def test_an_exception_leaves_the_scope():
    with pytest.raises(KeyError), name_scope("a"), name_scope("b"):
        raise KeyError
    assert current_scope() == ""


def test_names_are_unique_while_a_function_is_traced():
    def entered(*names):
        if not names:
            return ""
        with name_scope(names[0]) as scope:
            return entered(*names[1:]) or scope

    with name_scope("outside"), function_names():
        # As recorded from TensorFlow 2.21.
        found = [entered("s"), entered("s"), entered("S")]
        with name_scope("s"):
            found += [entered("t"), entered("t"), entered(""), entered("r/")]
        assert found == ["s/", "s_1/", "S_2/", "s_3/t/", "s_3/t_1/", "", "r/"]
        assert unique_variable_name("s") == "s"  # variables are made outside of the function's graph
    assert (current_scope(), unique_variable_name("s"), unique_variable_name("s")) == ("", "s", "s")


@pytest.mark.parametrize(
    ("camel", "snake"),
    [("MyModule2", "my_module2"), ("HTTPServer", "http_server"), ("A", "a"), ("ResNet50V2", "res_net50_v2")],
)
def test_camel_to_snake(camel, snake):
    assert camel_to_snake(camel) == snake
