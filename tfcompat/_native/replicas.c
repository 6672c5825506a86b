/* Twins of what a strategy does at each call of the function of its replicas. */
#include "native.h"

/* ---- `distribute/_lockstep.py` ----------------------------------------------------------------------------------- */

/* The values of a thread's state, lists copied. */
static PyObject *copied(PyObject *values)
{
    PyObject *copy = PyDict_Copy(values), *key, *value;
    Py_ssize_t position = 0;
    while (copy && PyDict_Next(values, &position, &key, &value)) {
        if (!PyList_CheckExact(value))
            continue;
        PyObject *list = PyList_GetSlice(value, 0, PyList_GET_SIZE(value));
        if (!list || PyDict_SetItem(copy, key, list) < 0)
            Py_CLEAR(copy);
        Py_XDECREF(list);
    }
    return copy;
}

/* values_now(states) -> list of (state, its values) */
PyObject *compiled_values_now(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 1 || names || !PyList_CheckExact(args[0]))
        return NULL;
    PyObject *all = PyList_New(0);
    for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(args[0]); i++) {
        PyObject *state = Py_NewRef(PyList_GET_ITEM(args[0], i)), *pair = NULL, *copy;
        PyObject *values = PyObject_GetAttr(state, name_dict);
        if (values && PyDict_CheckExact(values)) {
            if (PyDict_GET_SIZE(values) && (copy = copied(values))) {
                pair = PyTuple_Pack(2, state, copy);
                Py_DECREF(copy);
            }
            if (PyDict_GET_SIZE(values) && (!pair || PyList_Append(all, pair) < 0))
                Py_CLEAR(all);
        } else {
            Py_CLEAR(all);
        }
        Py_XDECREF(pair);
        Py_XDECREF(values);
        Py_DECREF(state);
    }
    return all;
}

/* ---- `engine/_gathering.py` -------------------------------------------------------------------------------------- */

/* in_order(nodes, starts, keys) -> list of the nodes */
PyObject *compiled_in_order(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !PyList_CheckExact(args[0]) || !PyList_CheckExact(args[1]) ||
        !PyList_CheckExact(args[2]))
        return NULL;
    PyObject *nodes = args[0], *starts = args[1], *keys = args[2], *result = NULL;
    Py_ssize_t pieces = PyList_GET_SIZE(starts), size = PyList_GET_SIZE(nodes), last = 0, good = 1;
    if (PyList_GET_SIZE(keys) != pieces || !pieces)
        return NULL;
    /* Of each piece its begin and its key; the end of the last one. */
    Py_ssize_t *begins = PyMem_New(Py_ssize_t, 2 * pieces + 1), *of_piece = begins + pieces + 1;
    if (!begins)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < pieces; i++) {
        PyObject *start = PyList_GET_ITEM(starts, i), *key = PyList_GET_ITEM(keys, i);
        begins[i] = PyLong_CheckExact(start) ? PyLong_AsSsize_t(start) : -1;
        of_piece[i] = PyLong_CheckExact(key) ? PyLong_AsSsize_t(key) : -1;
        good = good && begins[i] >= (i ? begins[i - 1] : 0) && begins[i] <= size && of_piece[i] >= 0 &&
               of_piece[i] <= 2 * pieces;
        last = of_piece[i] > last ? of_piece[i] : last;
    }
    PyErr_Clear();
    begins[pieces] = size;
    Py_ssize_t *places = good ? PyMem_Calloc((size_t)last + 2, sizeof(Py_ssize_t)) : NULL; /* of the next node of a key */
    if (good && begins[0] == 0 && places && (result = PyList_New(size))) {
        for (Py_ssize_t i = 0; i < pieces; i++)
            places[of_piece[i] + 1] += begins[i + 1] - begins[i];
        for (Py_ssize_t key = 0; key < last; key++)
            places[key + 1] += places[key];
        for (Py_ssize_t i = 0; i < pieces; i++)
            for (Py_ssize_t k = begins[i]; k < begins[i + 1]; k++)
                PyList_SET_ITEM(result, places[of_piece[i]]++, Py_NewRef(PyList_GET_ITEM(nodes, k)));
    }
    PyMem_Free(places);
    PyMem_Free(begins);
    return result;
}

/* ---- `distribute/_values.py` ------------------------------------------------------------------------------------- */

/* What a replica has of a structure (new); NULL without an error where Python has to look. */
static PyObject *selected(PyObject *number, PyObject *structure)
{
    PyObject *result = NULL;
    if (IS(structure, EagerTensor) || IS(structure, SymbolicTensor))
        return Py_NewRef(structure);
    if (IS(structure, PerReplica)) {
        PyObject *values = PyObject_GetAttr(structure, name_values);
        Py_ssize_t k = PyLong_AsSsize_t(number);
        if (values && PyTuple_CheckExact(values) && k >= 0 && k < PyTuple_GET_SIZE(values))
            result = Py_NewRef(PyTuple_GET_ITEM(values, k));
        Py_XDECREF(values);
        return result;
    }
    if ((!PyTuple_CheckExact(structure) && !PyDict_CheckExact(structure)) ||
        Py_EnterRecursiveCall(" of values in one another"))
        return NULL;
    if (PyTuple_CheckExact(structure)) {
        result = PyTuple_New(PyTuple_GET_SIZE(structure));
        for (Py_ssize_t i = 0; result && i < PyTuple_GET_SIZE(structure); i++) {
            PyObject *item = selected(number, PyTuple_GET_ITEM(structure, i));
            if (item)
                PyTuple_SET_ITEM(result, i, item);
            else
                Py_CLEAR(result);
        }
    } else {
        PyObject *key, *value;
        Py_ssize_t position = 0;
        result = PyDict_New();
        while (result && PyDict_Next(structure, &position, &key, &value)) {
            PyObject *item = selected(number, value);
            if (!item || PyDict_SetItem(result, key, item) < 0)
                Py_CLEAR(result);
            Py_XDECREF(item);
        }
    }
    Py_LeaveRecursiveCall();
    return result;
}

/* select_replica(replica, structure) -> structure */
PyObject *compiled_select_replica(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 2 || names || !of_PerReplica || !PyLong_CheckExact(args[0]))
        return NULL;
    return selected(args[0], args[1]);
}

/* ---- `distribute/_collectives.py` -------------------------------------------------------------------------------- */

/* marked(tensors, marks) -> list of tensors */
PyObject *compiled_marked(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (count != 2 || names || !context || !of_MARK || !PyTuple_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) ||
        PyTuple_GET_SIZE(args[0]) != PyTuple_GET_SIZE(args[1]) || IMMEDIATE || DEBUGGING ||
        is_true(GET(GET(context, Context, graph), Graph, symbolic)))
        return NULL;
    PyObject *tensors = args[0], *marks = args[1], *result;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors); i++) { /* before any is recorded */
        PyObject *tensor = PyTuple_GET_ITEM(tensors, i), *node = NULL;
        if (!IS(tensor, EagerTensor) || !(node = GET(tensor, EagerTensor, _node)) || !IS(node, Node) ||
            GET(node, Node, value) != Py_None || is_true(GET(GET(node, Node, aval), Aval, host)) ||
            is_true(GET(GET(node, Node, aval), Aval, traced)) ||
            !call_for(GET(of_MARK, Operation, calls), PyTuple_GET_ITEM(marks, i), &node, 1))
            return NULL;
    }
    if (!(result = PyList_New(PyTuple_GET_SIZE(tensors))))
        return NULL;
    PyObject *watchers = Py_NewRef(GET(context, Context, watchers));
    SET(context, Context, watchers, nothing());
    for (Py_ssize_t i = 0; result && i < PyTuple_GET_SIZE(tensors); i++) {
        PyObject *node = GET(PyTuple_GET_ITEM(tensors, i), EagerTensor, _node);
        PyObject *mark = applied(context, of_MARK, PyTuple_GET_ITEM(marks, i), node);
        PyObject *tensor = mark ? tensor_of(mark) : NULL;
        Py_XDECREF(mark);
        if (tensor)
            PyList_SET_ITEM(result, i, tensor);
        else
            Py_CLEAR(result);
    }
    SET(context, Context, watchers, watchers);
    Py_DECREF(watchers);
    if (!result && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "a mark is not known");
    return result;
}
