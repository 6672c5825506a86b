/* Twins of methods of `GradientTape` in `tape/_gradient_tape.py`, and of `tape/_walk.flattened`: making, entering and
   leaving tapes, and derivatives by known walks. */
#include "native.h"

static PyObject *as_tuple(PyObject *list)
{
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* The number of nodes in a tuple, a list or the keys of a dict; -1 for anything else. */
static Py_ssize_t count_of(PyObject *nodes)
{
    if (PyTuple_CheckExact(nodes) || PyList_CheckExact(nodes))
        return PySequence_Fast_GET_SIZE(nodes);
    if (PyDict_CheckExact(nodes))
        return PyDict_GET_SIZE(nodes);
    return -1;
}

/* Puts nodes into a tuple, from `place` on; returns the next free place. */
static Py_ssize_t put(PyObject *tuple, Py_ssize_t place, PyObject *nodes)
{
    if (PyDict_CheckExact(nodes)) {
        PyObject *key, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(nodes, &position, &key, &value))
            PyTuple_SET_ITEM(tuple, place++, Py_NewRef(key));
        return place;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(nodes); i++)
        PyTuple_SET_ITEM(tuple, place++, Py_NewRef(PySequence_Fast_GET_ITEM(nodes, i)));
    return place;
}

static int is_entry(PyObject *entry, Py_ssize_t size)
{
    return PyTuple_CheckExact(entry) && PyTuple_GET_SIZE(entry) == size;
}

/* (key, nodes): all calls of a walk, and all its nodes. NULL without an error if an entry has another form. */
static PyObject *flattened(PyObject *records, PyObject *seeds, PyObject *sources, PyObject *kind)
{
    Py_ssize_t many = PyList_GET_SIZE(records), seeded = PyList_GET_SIZE(seeds), wanted = PyList_GET_SIZE(sources);
    Py_ssize_t total = seeded, count, at = 0, place = 0;
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *entry = PyList_GET_ITEM(records, i);
        if (!is_entry(entry, 3))
            return NULL;
        for (int part = 1; part < 3; part++, total += count)
            if ((count = count_of(PyTuple_GET_ITEM(entry, part))) < 0)
                return NULL;
    }
    for (Py_ssize_t i = 0; i < seeded; i++) {
        if (!is_entry(PyList_GET_ITEM(seeds, i), 2))
            return NULL;
        total += PyTuple_GET_ITEM(PyList_GET_ITEM(seeds, i), 1) != Py_None;
    }
    for (Py_ssize_t i = 0; i < wanted; i++, total += count)
        if ((count = count_of(PyList_GET_ITEM(sources, i))) < 0)
            return NULL;
    PyObject *key = PyTuple_New(1 + many + seeded + wanted), *nodes = PyTuple_New(total), *both = NULL;
    if (!key || !nodes)
        goto end;
    PyTuple_SET_ITEM(key, at++, Py_NewRef(kind));
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *entry = PyList_GET_ITEM(records, i);
        PyTuple_SET_ITEM(key, at++, Py_NewRef(PyTuple_GET_ITEM(entry, 0)));
        place = put(nodes, place, PyTuple_GET_ITEM(entry, 1));
        place = put(nodes, place, PyTuple_GET_ITEM(entry, 2));
    }
    for (Py_ssize_t i = 0; i < seeded; i++) {
        PyObject *entry = PyList_GET_ITEM(seeds, i), *seed = PyTuple_GET_ITEM(entry, 1);
        PyTuple_SET_ITEM(key, at++, Py_NewRef(seed == Py_None ? Py_True : Py_False));
        PyTuple_SET_ITEM(nodes, place++, Py_NewRef(PyTuple_GET_ITEM(entry, 0)));
        if (seed != Py_None)
            PyTuple_SET_ITEM(nodes, place++, Py_NewRef(seed));
    }
    for (Py_ssize_t i = 0; i < wanted; i++) {
        PyObject *length = PyLong_FromSsize_t(~count_of(PyList_GET_ITEM(sources, i)));
        if (!length)
            goto end;
        PyTuple_SET_ITEM(key, at++, length);
        place = put(nodes, place, PyList_GET_ITEM(sources, i));
    }
    both = PyTuple_Pack(2, key, nodes);
end:
    Py_XDECREF(key);
    Py_XDECREF(nodes);
    return both;
}

PyObject *compiled_flattened(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 4 || names || !PyList_CheckExact(args[0]) || !PyList_CheckExact(args[1]) ||
        !PyList_CheckExact(args[2]))
        return NULL;
    return flattened(args[0], args[1], args[2], args[3]);
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* `GradientTape._clear`: gives a tape new, empty collections. */
static int clear(PyObject *tape)
{
    PyObject *records = PyList_New(0), *watched = PySet_New(NULL), *variables = PyDict_New(), *reads = PyDict_New();
    int good = records && watched && variables && reads;
    if (good) {
        SET(tape, GradientTape, _records, records);
        SET(tape, GradientTape, _watched, watched);
        SET(tape, GradientTape, _variables, variables);
        SET(tape, GradientTape, _reads, reads);
    }
    Py_XDECREF(records);
    Py_XDECREF(watched);
    Py_XDECREF(variables);
    Py_XDECREF(reads);
    return good ? 0 : -1;
}

/* `GradientTape._end_use`: empties the collections of a tape that is used up; nothing else holds them. */
static int empty(PyObject *tape)
{
    PyObject *records = GET(tape, GradientTape, _records), *variables = GET(tape, GradientTape, _variables);
    PyDict_Clear(GET(tape, GradientTape, _reads));
    if (PyDict_GET_SIZE(variables)) {
        SET(tape, GradientTape, _used, variables);
        if (!(variables = PyDict_New()))
            return -1;
        SET(tape, GradientTape, _variables, variables);
        Py_DECREF(variables);
    }
    SET(tape, GradientTape, _usable, Py_False);
    if (PyList_SetSlice(records, 0, PyList_GET_SIZE(records), NULL) < 0)
        return -1;
    return PySet_Clear(GET(tape, GradientTape, _watched));
}

/* `GradientTape.__init__(persistent=False, watch_accessed_variables=True)`. */
PyObject *compiled_begin_tape(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const parameters[] = {"self", "persistent", "watch_accessed_variables"};
    static PyObject *none_used; /* shared, and never filled */
    PyObject *values[3] = {NULL, Py_False, Py_True};
    if (!bind_arguments(args, count, names, parameters, 3, 1, values) || !PyBool_Check(values[1]) ||
        !PyBool_Check(values[2]) || !PyObject_TypeCheck(values[0], (PyTypeObject *)of_GradientTape))
        return NULL;
    PyObject *tape = values[0];
    if ((!none_used && !(none_used = PyDict_New())) || clear(tape) < 0)
        return NULL;
    SET(tape, GradientTape, _persistent, values[1]);
    SET(tape, GradientTape, _watch_accessed_variables, values[2]);
    SET(tape, GradientTape, _recording, Py_False);
    SET(tape, GradientTape, _usable, Py_False);
    SET(tape, GradientTape, _used, none_used);
    Py_RETURN_NONE;
}

/* `GradientTape.__enter__` */
PyObject *compiled_enter_tape(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (!context || count != 1 || names || !IS(args[0], GradientTape) ||
        GET(args[0], GradientTape, _recording) != Py_False)
        return NULL;
    PyObject *tape = args[0];
    if (!PyTuple_GET_SIZE(GET(context, Context, watchers))) {
        PyObject *done = compiled_next_iteration(NULL, 0, NULL);
        if (!done && !PyErr_Occurred())
            done = PyObject_CallNoArgs(python_next_iteration);
        if (!done)
            return NULL;
        Py_DECREF(done);
    }
    PyObject *before = GET(context, Context, watchers);
    Py_ssize_t watching = PyTuple_GET_SIZE(before);
    PyObject *watchers = PyTuple_New(watching + 1);
    if (!watchers)
        return NULL;
    for (Py_ssize_t i = 0; i < watching; i++)
        PyTuple_SET_ITEM(watchers, i, Py_NewRef(PyTuple_GET_ITEM(before, i)));
    PyTuple_SET_ITEM(watchers, watching, Py_NewRef(tape));
    SET(context, Context, watchers, watchers);
    Py_DECREF(watchers);
    SET(tape, GradientTape, _usable, Py_True);
    SET(tape, GradientTape, _recording, Py_True);
    return Py_NewRef(tape);
}

static int leave(PyObject *context, PyObject *tape)
{
    PyObject *before = GET(context, Context, watchers), *watchers = nothing();
    Py_ssize_t count = PyTuple_GET_SIZE(before);
    Py_XINCREF(watchers);
    if (count > 1 || (count == 1 && PyTuple_GET_ITEM(before, 0) != tape)) {
        PyObject *others = PyList_New(0);
        for (Py_ssize_t i = 0; others && i < count; i++)
            if (PyTuple_GET_ITEM(before, i) != tape && PyList_Append(others, PyTuple_GET_ITEM(before, i)) < 0)
                Py_CLEAR(others);
        Py_XSETREF(watchers, as_tuple(others));
    }
    if (!watchers)
        return -1;
    SET(context, Context, watchers, watchers);
    Py_DECREF(watchers);
    SET(tape, GradientTape, _recording, Py_False);
    return 0;
}

/* `GradientTape.__exit__(typ, value, traceback)` */
PyObject *compiled_leave_tape(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (!context || count != 4 || names || !IS(args[0], GradientTape))
        return NULL;
    return leave(context, args[0]) < 0 ? NULL : Py_NewRef(Py_None);
}

/* `GradientTape._nodes_of`: the nodes of a source on the tape; new. NULL if there are none. */
static PyObject *nodes_of(PyObject *tape, PyObject *source)
{
    PyObject *variable = variable_here(source);
    if (variable) {
        PyObject *key = PyLong_FromVoidPtr(variable);
        PyObject *nodes = key ? PyDict_GetItemWithError(GET(tape, GradientTape, _reads), key) : NULL;
        Py_XDECREF(key);
        return nodes && PyDict_CheckExact(nodes) && PyDict_GET_SIZE(nodes) ? Py_NewRef(nodes) : NULL;
    }
    PyObject *node = IS(source, EagerTensor) ? GET(source, EagerTensor, _node) : NULL;
    if (!node || !IS(node, Node) || PySet_Contains(GET(tape, GradientTape, _watched), node) <= 0)
        return NULL;
    return PyTuple_Pack(1, node);
}

/* The known walk for what a tape has recorded, borrowed, and the different nodes in it, new. */
static PyObject *known_walk(PyObject *tape, PyObject *target, PyObject *sources, PyObject *kind, PyObject **different)
{
    PyObject *seeds = PyList_New(1), *entry = PyTuple_Pack(2, target, Py_None), *known = NULL;
    if (!seeds || !entry) {
        Py_XDECREF(seeds);
        Py_XDECREF(entry);
        return NULL;
    }
    PyList_SET_ITEM(seeds, 0, entry);
    PyObject *both = flattened(GET(tape, GradientTape, _records), seeds, sources, kind);
    PyObject *alike = both ? PyDict_GetItemWithError(of_patterns, PyTuple_GET_ITEM(both, 0)) : NULL;
    for (Py_ssize_t i = 0; alike && PyList_CheckExact(alike) && i < PyList_GET_SIZE(alike); i++) {
        PyObject *pair = PyList_GET_ITEM(alike, i);
        if (!PyTuple_CheckExact(pair) || !Py_IS_TYPE(PyTuple_GET_ITEM(pair, 0), &Wiring_type))
            break;
        *different = match_wiring(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(both, 1));
        int differ = *different && *different != Py_None ? all_differ(*different) : 0;
        if (!*different || differ < 0)
            break;
        if (differ) {
            known = PyTuple_GET_ITEM(pair, 1);
            break;
        }
        Py_CLEAR(*different);
    }
    Py_XDECREF(both);
    Py_DECREF(seeds);
    return known && IS(known, Walk) ? known : NULL;
}

/* Records a walk: a list with a tensor for each source. NULL if a source has no path, or gets IndexedSlices. */
static PyObject *walked(PyObject *walk, PyObject *different)
{
    PyObject *captures = GET(walk, Walk, captures), *results = GET(walk, Walk, results), *call = GET(walk, Walk, call);
    if (!PyList_CheckExact(captures) || !PyList_CheckExact(results) || !IS(call, Call))
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(results);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!PyLong_CheckExact(PyList_GET_ITEM(results, i))) /* no path, or IndexedSlices */
            return NULL;
    PyObject *inputs = PyTuple_New(PyList_GET_SIZE(captures)), *tensors = NULL;
    for (Py_ssize_t i = 0; inputs && i < PyList_GET_SIZE(captures); i++) {
        Py_ssize_t k = PyLong_AsSsize_t(PyList_GET_ITEM(captures, i));
        if (k < 0 || k >= PyTuple_GET_SIZE(different)) {
            PyErr_SetString(PyExc_IndexError, "a walk starts from a node that is not there");
            Py_CLEAR(inputs);
            break;
        }
        PyTuple_SET_ITEM(inputs, i, Py_NewRef(PyTuple_GET_ITEM(different, k)));
    }
    PyObject *outputs = inputs ? recorded(call, inputs) : NULL;
    Py_XDECREF(inputs);
    if (outputs && PyTuple_CheckExact(outputs))
        tensors = PyList_New(count);
    for (Py_ssize_t i = 0; tensors && i < count; i++) {
        Py_ssize_t k = PyLong_AsSsize_t(PyList_GET_ITEM(results, i));
        PyObject *tensor = k >= 0 && k < PyTuple_GET_SIZE(outputs) ? tensor_of(PyTuple_GET_ITEM(outputs, k)) : NULL;
        if (!tensor) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_IndexError, "a walk has no such result");
            Py_CLEAR(tensors);
            break;
        }
        PyList_SET_ITEM(tensors, i, tensor);
    }
    Py_XDECREF(outputs);
    return tensors;
}

/* `GradientTape.gradient`, or a jacobian if there are `kinds`, by a known walk. NULL without an error where that is
   left to Python. `kinds` has two kinds of walk, see `_walk.flattened`: if no tape watches, and if one does. */
static PyObject *differentiate(PyObject *tape, PyObject *target, PyObject *sources, PyObject *kinds)
{
    PyObject *different = NULL, *result = NULL, *context = context_now();
    if (!context || !IS(tape, GradientTape) || !is_true(GET(tape, GradientTape, _usable)) || !IS(target, EagerTensor) ||
        IMMEDIATE)
        return NULL;
    PyObject *persistent = GET(tape, GradientTape, _persistent), *recording = GET(tape, GradientTape, _recording);
    PyObject *node = GET(target, EagerTensor, _node), *records = GET(tape, GradientTape, _records);
    PyObject *mode = GET(GET(context, Context, pending), Graph, immediate);
    if ((persistent != Py_False && is_true(recording)) || !IS(node, Node) || mode == Py_True ||
        !is_true(GET(GET(node, Node, aval), Aval, inexact)) ||
        is_true(GET(GET(context, Context, graph), Graph, symbolic)) ||
        !PyList_GET_SIZE(records) || PyList_GET_SIZE(records) > policy_number(of_tape_policy, name_max_records))
        return NULL;
    int of_list = PyList_CheckExact(sources);
    Py_ssize_t many = of_list ? PyList_GET_SIZE(sources) : 1;
    PyObject *nodes = PyList_New(many);
    for (Py_ssize_t i = 0; nodes && i < many; i++) {
        PyObject *of_source = nodes_of(tape, of_list ? PyList_GET_ITEM(sources, i) : sources);
        if (!of_source) {
            Py_CLEAR(nodes);
            break;
        }
        PyList_SET_ITEM(nodes, i, of_source);
    }
    PyObject *walk = NULL, *kind = Py_None;
    if (nodes && (!is_true(recording) || leave(context, tape) == 0)) {
        if (kinds)
            kind = PyTuple_GET_ITEM(kinds, PyTuple_GET_SIZE(GET(context, Context, watchers)) > 0);
        walk = known_walk(tape, node, nodes, kind, &different);
    }
    Py_XDECREF(nodes);
    if (walk) {
        Py_INCREF(walk);
        result = walked(walk, different);
        Py_DECREF(walk);
    }
    Py_XDECREF(different);
    if (PyErr_Occurred()) {
        Py_XDECREF(result);
        return NULL;
    }
    if (result && persistent == Py_False && empty(tape) < 0)
        Py_CLEAR(result);
    if (result && !of_list)
        Py_SETREF(result, Py_NewRef(PyList_GET_ITEM(result, 0)));
    return result;
}

/* `GradientTape.gradient(target, sources, output_gradients=None, unconnected_gradients=NONE)` */
PyObject *compiled_gradient(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const parameters[] = {"self", "target", "sources", "output_gradients", "unconnected_gradients"};
    PyObject *values[5] = {NULL, NULL, NULL, Py_None, of_unconnected_none};
    if (!bind_arguments(args, count, names, parameters, 5, 3, values) || values[3] != Py_None ||
        values[4] != of_unconnected_none)
        return NULL;
    return differentiate(values[0], values[1], values[2], NULL);
}

/* The arguments of a jacobian, all of whose rows are computed at once. */
static int bind_jacobian(PyObject *const *args, Py_ssize_t count, PyObject *names, const char *source,
                         PyObject **values)
{
    const char *const parameters[] = {"self", "target", source, "unconnected_gradients", "parallel_iterations",
                                      "experimental_use_pfor"};
    return bind_arguments(args, count, names, parameters, 6, 3, values) && values[4] == Py_None && values[5] == Py_True;
}

/* `GradientTape.jacobian(target, sources, unconnected_gradients=NONE, parallel_iterations=None,
   experimental_use_pfor=True)` */
PyObject *compiled_jacobian(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *values[6] = {NULL, NULL, NULL, of_unconnected_none, Py_None, Py_True};
    if (!bind_jacobian(args, count, names, "sources", values) || values[3] != of_unconnected_none)
        return NULL;
    return differentiate(values[0], values[1], values[2], of_kinds_of_jacobian);
}

/* `GradientTape.batch_jacobian(target, source, ...)`; a source without a path is left to Python. */
PyObject *compiled_batch_jacobian(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *values[6] = {NULL, NULL, NULL, of_unconnected_none, Py_None, Py_True};
    if (!bind_jacobian(args, count, names, "source", values) || !IS(values[3], UnconnectedGradients) ||
        PyList_CheckExact(values[2]))
        return NULL;
    return differentiate(values[0], values[1], values[2], of_kinds_of_batch_jacobian);
}
