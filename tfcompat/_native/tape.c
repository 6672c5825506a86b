/* Twins of `GradientTape.observe` and `variable_accessed` in `tape/_gradient_tape.py`, and of
   `tape/_reverse.connected`: what tapes note of operations and of reads. */
#include "native.h"

static int is_inexact(PyObject *node)
{
    PyObject *aval = GET(node, Node, aval);
    return aval && IS(aval, Aval) && is_true(GET(aval, Aval, inexact));
}

/* Whether one of the nodes is in a set; -1 with an error. */
static int any_in(PyObject *set, PyObject *nodes)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(nodes); i++) {
        int contained = PySet_Contains(set, PyTuple_GET_ITEM(nodes, i));
        if (contained)
            return contained;
    }
    return 0;
}

/* Whether one of the `inputs`, at the indices in the set `needs`, is in `watched`; -1 with an error. */
static int needed_in(PyObject *watched, PyObject *inputs, PyObject *needs)
{
    PyObject *places = PyObject_GetIter(needs), *place;
    int needed = 0;
    if (!places)
        return -1;
    while (!needed && (place = PyIter_Next(places))) {
        Py_ssize_t i = PyLong_AsSsize_t(place);
        Py_DECREF(place);
        needed = i < 0 || i >= PyTuple_GET_SIZE(inputs) ? -1 : PySet_Contains(watched, PyTuple_GET_ITEM(inputs, i));
    }
    Py_DECREF(places);
    if (needed < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_IndexError, "a result depends on an input that is not there");
    return PyErr_Occurred() ? -1 : needed;
}

/* `GradientTape.observe`: 0; 1 where that is left to Python, -1 with an error. */
static int observe(PyObject *tape, PyObject *call, PyObject *inputs, PyObject *outputs)
{
    PyObject *watched = GET(tape, GradientTape, _watched), *records = GET(tape, GradientTape, _records);
    PyObject *depends = GET(call, Call, depends), *connected = NULL;
    if (!watched || !records || !PySet_CheckExact(watched) || !PyList_CheckExact(records))
        return 1;
    int is_watched = any_in(watched, inputs);
    if (is_watched <= 0)
        return is_watched;
    if (!depends || !(depends == Py_None || PyTuple_CheckExact(depends) || PyList_CheckExact(depends)))
        return 1; /* it has to be traced first */
    Py_ssize_t count = PyTuple_GET_SIZE(outputs);
    if (depends != Py_None) {
        connected = PyList_New(0);
        if (!connected || PySequence_Fast_GET_SIZE(depends) != count) {
            Py_XDECREF(connected);
            return PyErr_Occurred() ? -1 : 1;
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            PyObject *node = PyTuple_GET_ITEM(outputs, i);
            int needed = is_inexact(node) ? needed_in(watched, inputs, PySequence_Fast_GET_ITEM(depends, i)) : 0;
            if (needed < 0 || (needed && PyList_Append(connected, node) < 0)) {
                Py_DECREF(connected);
                return -1;
            }
        }
        if (!PyList_GET_SIZE(connected)) {
            Py_DECREF(connected);
            return 0;
        }
    }
    PyObject *entry = PyTuple_Pack(3, call, inputs, outputs);
    int failed = !entry || PyList_Append(records, entry) < 0;
    Py_XDECREF(entry);
    if (connected) {
        for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(connected); i++)
            failed = PySet_Add(watched, PyList_GET_ITEM(connected, i)) < 0;
        Py_DECREF(connected);
    } else {
        for (Py_ssize_t i = 0; !failed && i < count; i++) {
            PyObject *node = PyTuple_GET_ITEM(outputs, i);
            if (count == 1 || is_inexact(node))
                failed = PySet_Add(watched, node) < 0;
        }
    }
    return failed ? -1 : 0;
}

/* observe(tape, call, inputs, outputs) */
PyObject *compiled_observe(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 4 || names || !IS(args[0], GradientTape) || !IS(args[1], Call) || !PyTuple_CheckExact(args[2]) ||
        !PyTuple_CheckExact(args[3]) || !are_nodes(args[2]) || !are_nodes(args[3]))
        return NULL;
    return observe(args[0], args[1], args[2], args[3]) == 0 ? Py_NewRef(Py_None) : NULL;
}

int tell_watchers(PyObject *watchers, PyObject *call, PyObject *inputs, PyObject *result)
{
    PyObject *outputs = result;
    if (PyTuple_CheckExact(result))
        Py_INCREF(outputs);
    else if (!(outputs = PyTuple_Pack(1, result)))
        return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(watchers); i++) {
        PyObject *watcher = PyTuple_GET_ITEM(watchers, i);
        int told = IS(watcher, GradientTape) ? observe(watcher, call, inputs, outputs) : 1;
        if (told > 0) {
            PyObject *done = PyObject_CallMethodObjArgs(watcher, name_observe, call, inputs, outputs, NULL);
            told = done ? 0 : -1;
            Py_XDECREF(done);
        }
        failed = told < 0;
    }
    Py_DECREF(outputs);
    return failed ? -1 : 0;
}

/* `GradientTape.variable_accessed`: 0; 1 where that is left to Python, -1 with an error. */
static int note_read(PyObject *tape, PyObject *variable, PyObject *node)
{
    PyObject *watched = GET(tape, GradientTape, _watched), *variables = GET(tape, GradientTape, _variables);
    PyObject *reads = GET(tape, GradientTape, _reads);
    if (!watched || !variables || !reads || !PySet_CheckExact(watched) || !PyDict_CheckExact(variables) ||
        !PyDict_CheckExact(reads))
        return 1;
    int known = PySet_Contains(watched, node);
    if (known)
        return known < 0 ? -1 : 0;
    PyObject *trainable = PyObject_GetAttr(variable, name_trainable);
    if (!trainable)
        return -1;
    int watch = is_true(trainable) && is_true(GET(tape, GradientTape, _watch_accessed_variables));
    Py_DECREF(trainable);
    PyObject *key = PyLong_FromVoidPtr(variable);
    if (!key)
        return -1;
    int failed = 0;
    if (!watch)
        watch = PyDict_Contains(variables, key);
    if (watch < 0 || (watch && PyDict_SetItem(variables, key, variable) < 0))
        failed = 1;
    if (!failed && watch && is_inexact(node)) {
        PyObject *nodes = PyDict_GetItemWithError(reads, key);
        Py_XINCREF(nodes);
        if (!nodes && !PyErr_Occurred() && (nodes = PyDict_New()) && PyDict_SetItem(reads, key, nodes) < 0)
            Py_CLEAR(nodes);
        failed = !nodes || PyDict_SetItem(nodes, node, Py_None) < 0 || PySet_Add(watched, node) < 0;
        Py_XDECREF(nodes);
    }
    Py_DECREF(key);
    return failed ? -1 : 0;
}

/* variable_accessed(tape, variable, node) */
PyObject *compiled_variable_accessed(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !IS(args[0], GradientTape) || !IS(args[1], ResourceVariable) || !IS(args[2], Node))
        return NULL;
    return note_read(args[0], args[1], args[2]) == 0 ? Py_NewRef(Py_None) : NULL;
}

int tell_of_read(PyObject *watchers, PyObject *variable, PyObject *node)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(watchers); i++) {
        PyObject *watcher = PyTuple_GET_ITEM(watchers, i);
        int told = IS(watcher, GradientTape) ? note_read(watcher, variable, node) : 1;
        if (told > 0) {
            PyObject *done = PyObject_CallMethodObjArgs(watcher, name_variable_accessed, variable, node, NULL);
            told = done ? 0 : -1;
            Py_XDECREF(done);
        }
        if (told < 0)
            return -1;
    }
    return 0;
}

int tell_of_reads_from(Py_ssize_t first, PyObject *const *arguments, PyObject *const *nodes, Py_ssize_t count)
{
    PyObject *context = context_now();
    if (!context)
        return -1;
    PyObject *watchers = GET(context, Context, watchers);
    if (!PyTuple_GET_SIZE(watchers))
        return 0;
    PyObject *variable;
    int told = 0;
    Py_INCREF(watchers);
    for (Py_ssize_t i = first; told == 0 && i < count; i++)
        if ((variable = variable_here(arguments[i])))
            told = tell_of_read(watchers, variable, nodes[i]);
    Py_DECREF(watchers);
    return told;
}
