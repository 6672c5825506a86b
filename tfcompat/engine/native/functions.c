/* What a call of a `tf.function` does around its program. See `function/_function.py` and `_trace.py`. */
#include "native.h"

/* Adds an argument to the key, and its node to the nodes: 1, 0 where there is no key of such arguments, or -1. */
static int add(PyObject *key, PyObject *nodes, PyObject *argument)
{
    if (IS(argument, EagerTensor)) {
        PyObject *node = GET(argument, EagerTensor, _node);
        if (!IS(node, Node))
            return 0;
        return PyList_Append(nodes, node) < 0 || PyList_Append(key, GET(node, Node, aval)) < 0 ? -1 : 1;
    }
    PyTypeObject *type = Py_TYPE(argument);
    if (type != &PyBool_Type && type != &PyLong_Type && type != &PyFloat_Type && type != &PyUnicode_Type &&
        argument != Py_None)
        return 0;
    int some = PyObject_IsTrue(argument);
    PyObject *value = some < 0 ? NULL : some ? Py_NewRef(argument) : PyObject_Str(argument); /* a zero has a sign */
    PyObject *entry = value ? PyTuple_Pack(2, (PyObject *)type, value) : NULL;
    int failed = !entry || PyList_Append(key, entry) < 0;
    Py_XDECREF(value);
    Py_XDECREF(entry);
    return failed ? -1 : 1;
}

/* plain_key(args, kwargs) -> (key or None, nodes) */
PyObject *native_plain_key(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyTuple_CheckExact(args[0]) || !PyDict_CheckExact(args[1]))
        return PyErr_Format(PyExc_TypeError, "plain_key() takes a tuple and a dict");
    PyObject *key = PyList_New(0), *nodes = PyList_New(0), *name, *value, *both = NULL;
    Py_ssize_t position = 0;
    int good = key && nodes ? 1 : -1;
    while (good > 0 && PyDict_Next(args[1], &position, &name, &value))
        good = PyList_Append(key, name) < 0 ? -1 : 1;
    for (Py_ssize_t i = 0; good > 0 && i < PyTuple_GET_SIZE(args[0]); i++)
        good = add(key, nodes, PyTuple_GET_ITEM(args[0], i));
    position = 0;
    while (good > 0 && PyDict_Next(args[1], &position, &name, &value))
        good = add(key, nodes, value);
    if (good >= 0) {
        PyObject *whole = good ? PyList_AsTuple(key) : Py_NewRef(Py_None);
        both = whole ? PyTuple_Pack(2, whole, nodes) : NULL;
        Py_XDECREF(whole);
    }
    Py_XDECREF(key);
    Py_XDECREF(nodes);
    return both;
}

PyObject *native_read(PyObject *module, PyObject *variables)
{
    if (!PyList_CheckExact(variables))
        return PyErr_Format(PyExc_TypeError, "read() takes a list of variables");
    Py_ssize_t count = PyList_GET_SIZE(variables);
    PyObject *nodes = PyList_New(count);
    for (Py_ssize_t i = 0; nodes && i < count; i++) {
        PyObject *variable = PyList_GET_ITEM(variables, i);
        PyObject *node = IS(variable, ResourceVariable) && !debugging ? node_of(variable)
                                                                      : PyObject_CallMethodNoArgs(variable, name_as_node);
        if (!node) {
            Py_CLEAR(nodes);
            break;
        }
        PyList_SET_ITEM(nodes, i, node);
    }
    return nodes;
}

/* A tuple of nodes with these avals and values. */
static PyObject *leaves(PyObject *avals, PyObject *given)
{
    PyObject *values = PyTuple_CheckExact(avals) ? PySequence_Fast(given, "values are no sequence") : NULL;
    if (!values || PySequence_Fast_GET_SIZE(values) != PyTuple_GET_SIZE(avals)) {
        Py_XDECREF(values);
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "as many avals as values were expected");
    }
    Py_ssize_t many = PyTuple_GET_SIZE(avals);
    PyObject *nodes = PyTuple_New(many);
    for (Py_ssize_t i = 0; nodes && i < many; i++) {
        PyObject *aval = PyTuple_GET_ITEM(avals, i), *value = PySequence_Fast_GET_ITEM(values, i);
        PyObject *node = new_node(Py_None, nothing(), aval, value, Py_None);
        if (!node) {
            Py_CLEAR(nodes);
            break;
        }
        PyTuple_SET_ITEM(nodes, i, node);
    }
    Py_DECREF(values);
    return nodes;
}

PyObject *native_leaves(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "leaves() takes avals and values");
    return leaves(args[0], args[1]);
}

/* run_at_once(operation, inputs, kept): `_record.run_at_once` of inputs that are not overwritten; None where that is not
   known, or the operation is to be recorded. */
PyObject *native_run_at_once(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *here = here_now();
    if (!here)
        return NULL;
    if (count != 3 || !IS(args[0], Operation) || !PyList_CheckExact(args[1]))
        return PyErr_Format(PyExc_TypeError, "run_at_once() takes an operation and a list of nodes");
    PyObject *graph = GET(here, Here, graph), *mode = GET(graph, Graph, immediate), *nodes = GET(graph, Graph, nodes);
    if (PyTuple_GET_SIZE(GET(here, Here, watchers)) || is_true(GET(graph, Graph, symbolic)) || debugging ||
        (mode == Py_None ? immediate : is_true(mode)) || !PyList_CheckExact(nodes))
        Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[1]); i++)
        if (!is_node(PyList_GET_ITEM(args[1], i)))
            return NULL;
    PyObject *call = call_for(GET(args[0], Operation, calls), of_no_attributes, ((PyListObject *)args[1])->ob_item,
                              PyList_GET_SIZE(args[1]));
    PyObject *aval = call ? GET(call, Call, aval) : NULL;
    if (!aval || !IS(aval, TupleAval) || is_true(GET(aval, TupleAval, traced)))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyObject *program = PyDict_GetItemWithError(GET(call, Call, programs), nothing()), *found = NULL;
    if (!program)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Py_INCREF(call);
    Py_INCREF(program);
    PyObject *done = PyList_GET_SIZE(nodes) ? PyObject_CallOneArg(of_flush, graph) : Py_NewRef(Py_None);
    PyObject *arrays = done ? native_known_arrays(NULL, args[1]) : NULL;
    if (arrays == Py_None) {
        found = Py_NewRef(Py_None);
    } else if (arrays) {
        PyObject *values = PyObject_CallMethodObjArgs(program, name_run, arrays, args[2], NULL);
        found = values ? leaves(GET(aval, TupleAval, parts), values) : NULL;
        Py_XDECREF(values);
    }
    Py_XDECREF(done);
    Py_XDECREF(arrays);
    Py_DECREF(program);
    Py_DECREF(call);
    return found;
}
