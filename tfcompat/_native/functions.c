/* Twin of `function/_function._plain_key`: the key of a call of a `tf.function`. */
#include "native.h"

static int add(PyObject *key, PyObject *nodes, PyObject *argument);

/* Adds the class of a sequence, its length, and what it holds; as `add`. */
static int add_all(PyObject *key, PyObject *nodes, PyTypeObject *type, PyObject *values)
{
    PyObject *entry = Py_BuildValue("(On)", (PyObject *)type, PySequence_Fast_GET_SIZE(values));
    int good = entry && PyList_Append(key, entry) == 0 ? 1 : -1;
    Py_XDECREF(entry);
    if (good > 0 && Py_EnterRecursiveCall(" of arguments in one another"))
        return -1;
    int entered = good > 0;
    for (Py_ssize_t i = 0; good > 0 && i < PySequence_Fast_GET_SIZE(values); i++)
        good = add(key, nodes, PySequence_Fast_GET_ITEM(values, i));
    if (entered)
        Py_LeaveRecursiveCall();
    return good;
}

/* Adds an argument to the key, and its node to the nodes: 1; 0 if such an argument has no key, -1 with an error. */
static int add(PyObject *key, PyObject *nodes, PyObject *argument)
{
    if (PyTuple_CheckExact(argument) || PyList_CheckExact(argument))
        return add_all(key, nodes, Py_TYPE(argument), argument);
    if (IS(argument, PerReplica)) {
        PyObject *values = PyObject_GetAttr(argument, name_values);
        int good = !values ? -1 : PyTuple_CheckExact(values) ? add_all(key, nodes, Py_TYPE(argument), values) : 0;
        Py_XDECREF(values);
        return good;
    }
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
PyObject *compiled_plain_key(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 2 || names || !PyTuple_CheckExact(args[0]) || !PyDict_CheckExact(args[1]))
        return NULL;
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
