/* Tapes entered and left, and gradients of walks that are known. See `tape/_record.py`, `_walk.py` and `compile/unrolling.py`. */
#include "native.h"

static PyObject *as_tuple(PyObject *list)
{
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* How many nodes there are in a tuple, a list, or the keys of a dict; -1 with an error. */
static Py_ssize_t count_of(PyObject *nodes)
{
    if (PyTuple_CheckExact(nodes) || PyList_CheckExact(nodes))
        return PySequence_Fast_GET_SIZE(nodes);
    if (PyDict_CheckExact(nodes))
        return PyDict_GET_SIZE(nodes);
    PyErr_Format(PyExc_TypeError, "nodes are in no list: %R", nodes);
    return -1;
}

/* Puts nodes into a tuple from a place on; returns the place behind them. */
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
    if (PyTuple_CheckExact(entry) && PyTuple_GET_SIZE(entry) == size)
        return 1;
    PyErr_Format(PyExc_TypeError, "a tuple of %zd was expected, got %R", size, entry);
    return 0;
}

/* All calls of a walk, and all nodes: (key, nodes). */
PyObject *flattened(PyObject *records, PyObject *seeds, PyObject *sources, PyObject *kind)
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
        PyObject *length = PyLong_FromSsize_t(count_of(PyList_GET_ITEM(sources, i)));
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

PyObject *native_flattened(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4 || !PyList_CheckExact(args[0]) || !PyList_CheckExact(args[1]) || !PyList_CheckExact(args[2]))
        return PyErr_Format(PyExc_TypeError, "flattened() takes three lists and a kind");
    return flattened(args[0], args[1], args[2], args[3]);
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* Puts new, empty collections into a tape. */
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

/* The same for a tape that is used up, whose collections nobody else has. */
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

static int is_plain_tape(PyObject *tape) { return IS(tape, GradientTape) && !debugging; }

/* prepare_tape(tape, persistent, watch_accessed_variables) */
PyObject *native_prepare_tape(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !of_GradientTape || !PyObject_TypeCheck(args[0], (PyTypeObject *)of_GradientTape))
        return PyErr_Format(PyExc_TypeError, "prepare_tape() takes a tape and two choices");
    static PyObject *none_used; /* nothing is ever put into it */
    if ((!none_used && !(none_used = PyDict_New())) || clear(args[0]) < 0)
        return NULL;
    SET(args[0], GradientTape, _persistent, PyObject_IsTrue(args[1]) ? Py_True : Py_False);
    SET(args[0], GradientTape, _watch_accessed_variables, PyObject_IsTrue(args[2]) ? Py_True : Py_False);
    SET(args[0], GradientTape, _recording, Py_False);
    SET(args[0], GradientTape, _usable, Py_False);
    SET(args[0], GradientTape, _used, none_used);
    Py_RETURN_NONE;
}

static Py_ssize_t number(PyObject *module, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(module, name);
    Py_ssize_t found = value ? PyLong_AsSsize_t(value) : -1;
    Py_XDECREF(value);
    return found;
}

/* `Loop.goes_on`, and what `_record.turn` does then: 1; 0 where it does not go on, -1 with an error. */
static int go_on(PyObject *graph, PyObject *loop)
{
    PyObject *calls = GET(loop, Loop, calls), *nodes = GET(graph, Graph, nodes), *ends = GET(graph, Graph, ends);
    Py_ssize_t pending = PyList_GET_SIZE(ends), start = 0, count = PyList_GET_SIZE(nodes);
    if (pending)
        start = PyLong_AsSsize_t(PyList_GET_ITEM(ends, pending - 1));
    if (count - start != PyTuple_GET_SIZE(calls))
        return 0;
    for (Py_ssize_t i = start; i < count; i++)
        if (GET(PyList_GET_ITEM(nodes, i), Node, call) != PyTuple_GET_ITEM(calls, i - start))
            return 0;
    Py_ssize_t turns = PyLong_AsSsize_t(GET(loop, Loop, _turns)) + 1;
    PyObject *value = PyLong_FromSsize_t(turns);
    if (!value)
        return -1;
    SET(loop, Loop, _turns, value);
    Py_DECREF(value);
    if (turns >= PyLong_AsSsize_t(GET(loop, Loop, _from))) {
        if (!(value = PyLong_FromSsize_t(count)))
            return -1;
        int added = PyList_Append(ends, value);
        Py_DECREF(value);
        if (added < 0 || !(value = PyLong_FromSsize_t(count + number(of_recording_policy, name_loop_check))))
            return -1;
        SET(graph, Graph, limit, value);
        Py_DECREF(value);
        if (pending + 1 < PyLong_AsSsize_t(GET(loop, Loop, _most)))
            return PyErr_Occurred() ? -1 : 1;
    }
    PyObject *done = PyErr_Occurred() ? NULL : PyObject_CallOneArg(of_flush, graph);
    Py_XDECREF(done);
    return done ? 1 : -1;
}

/* `GradientTape.__enter__`; whether that was done. */
PyObject *native_enter_tape(PyObject *module, PyObject *tape)
{
    PyObject *here = here_now();
    if (!here)
        return NULL;
    if (!is_plain_tape(tape) || GET(tape, GradientTape, _recording) != Py_False)
        Py_RETURN_FALSE;
    PyObject *graph = GET(here, Here, graph);
    if (!PyTuple_GET_SIZE(GET(here, Here, watchers)) && !is_true(GET(graph, Graph, symbolic)) &&
        PyList_GET_SIZE(GET(graph, Graph, nodes))) {
        PyObject *loop = GET(graph, Graph, loop);
        Py_INCREF(graph);
        Py_INCREF(loop);
        int gone_on = IS(loop, Loop) ? go_on(graph, loop) : 0;
        Py_DECREF(loop);
        Py_DECREF(graph);
        if (!gone_on) {
            PyObject *done = PyObject_CallNoArgs(of_turn);
            gone_on = done ? 1 : -1;
            Py_XDECREF(done);
        }
        if (gone_on < 0)
            return NULL;
    }
    PyObject *before = GET(here, Here, watchers);
    Py_ssize_t count = PyTuple_GET_SIZE(before);
    PyObject *watchers = PyTuple_New(count + 1);
    if (!watchers)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(watchers, i, Py_NewRef(PyTuple_GET_ITEM(before, i)));
    PyTuple_SET_ITEM(watchers, count, Py_NewRef(tape));
    SET(here, Here, watchers, watchers);
    Py_DECREF(watchers);
    SET(tape, GradientTape, _usable, Py_True);
    SET(tape, GradientTape, _recording, Py_True);
    Py_RETURN_TRUE;
}

static int leave(PyObject *here, PyObject *tape)
{
    PyObject *before = GET(here, Here, watchers), *watchers = nothing();
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
    SET(here, Here, watchers, watchers);
    Py_DECREF(watchers);
    SET(tape, GradientTape, _recording, Py_False);
    return 0;
}

/* `GradientTape.__exit__`; whether that was done. */
PyObject *native_leave_tape(PyObject *module, PyObject *tape)
{
    PyObject *here = here_now();
    if (!here || !is_plain_tape(tape))
        return here ? Py_NewRef(Py_False) : NULL;
    return leave(here, tape) < 0 ? NULL : Py_NewRef(Py_True);
}

/* The nodes of a source, by which it is on the tape; new, NULL where there are none. */
static PyObject *nodes_of(PyObject *tape, PyObject *source)
{
    if (IS(source, ResourceVariable)) {
        PyObject *key = PyLong_FromVoidPtr(source);
        PyObject *nodes = key ? PyDict_GetItemWithError(GET(tape, GradientTape, _reads), key) : NULL;
        Py_XDECREF(key);
        return nodes && PyDict_CheckExact(nodes) && PyDict_GET_SIZE(nodes) ? Py_NewRef(nodes) : NULL;
    }
    PyObject *node = IS(source, EagerTensor) ? GET(source, EagerTensor, _node) : NULL;
    if (!node || !IS(node, Node) || PySet_Contains(GET(tape, GradientTape, _watched), node) <= 0)
        return NULL;
    return PyTuple_Pack(1, node);
}

/* The walk that is known for what a tape has recorded, borrowed, and the different ones of its nodes, new. */
static PyObject *known_walk(PyObject *tape, PyObject *target, PyObject *sources, PyObject *kind, PyObject **different)
{
    PyObject *seeds = PyList_New(1), *entry = PyTuple_Pack(2, target, Py_None), *found = NULL;
    if (!seeds || !entry) {
        Py_XDECREF(seeds);
        Py_XDECREF(entry);
        return NULL;
    }
    PyList_SET_ITEM(seeds, 0, entry);
    PyObject *both = flattened(GET(tape, GradientTape, _records), seeds, sources, kind);
    PyObject *patterns = both ? PyObject_GetAttr(of_walk, name_patterns) : NULL;
    PyObject *alike = patterns && PyDict_CheckExact(patterns)
                          ? PyDict_GetItemWithError(patterns, PyTuple_GET_ITEM(both, 0)) : NULL;
    for (Py_ssize_t i = 0; alike && PyList_CheckExact(alike) && i < PyList_GET_SIZE(alike); i++) {
        PyObject *pair = PyList_GET_ITEM(alike, i);
        if (!PyTuple_CheckExact(pair) || !Py_IS_TYPE(PyTuple_GET_ITEM(pair, 0), &Wiring_type))
            break;
        *different = match_wiring(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(both, 1));
        if (!*different)
            break;
        if (*different != Py_None) {
            found = PyTuple_GET_ITEM(pair, 1);
            break;
        }
        Py_CLEAR(*different);
    }
    Py_XDECREF(patterns);
    Py_XDECREF(both);
    Py_DECREF(seeds);
    return found && IS(found, Walk) ? found : NULL;
}

/* The results of a walk, a list of one tensor for each source; NULL where there is not one for each. */
static PyObject *walked(PyObject *walk, PyObject *different)
{
    PyObject *captures = GET(walk, Walk, captures), *results = GET(walk, Walk, results), *call = GET(walk, Walk, call);
    if (!PyList_CheckExact(captures) || !PyList_CheckExact(results) || !IS(call, Call))
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(results);
    for (Py_ssize_t i = 0; i < count; i++)
        if (PyList_GET_ITEM(results, i) == Py_None)
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
    PyObject *found = inputs ? recorded(call, inputs) : NULL;
    Py_XDECREF(inputs);
    if (found && PyTuple_CheckExact(found))
        tensors = PyList_New(count);
    for (Py_ssize_t i = 0; tensors && i < count; i++) {
        Py_ssize_t k = PyLong_AsSsize_t(PyList_GET_ITEM(results, i));
        PyObject *tensor = k >= 0 && k < PyTuple_GET_SIZE(found) ? tensor_of(PyTuple_GET_ITEM(found, k)) : NULL;
        if (!tensor) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_IndexError, "a walk has no such result");
            Py_CLEAR(tensors);
            break;
        }
        PyList_SET_ITEM(tensors, i, tensor);
    }
    Py_XDECREF(found);
    return tensors;
}

/* gradient(tape, target, sources, kinds): `GradientTape.gradient`, if `kinds` is None, or a jacobian, of a walk that is
   known; None where Python is to do it. `kinds` has the kind of walk, see `_walk.flattened`, where no tape watches,
   and where one does. */
PyObject *native_gradient(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4 || (args[3] != Py_None && (!PyTuple_CheckExact(args[3]) || PyTuple_GET_SIZE(args[3]) != 2)))
        return PyErr_Format(PyExc_TypeError, "gradient() takes a tape, a target, sources and two kinds or None");
    PyObject *tape = args[0], *target = args[1], *sources = args[2], *different = NULL, *result = NULL;
    PyObject *here = here_now();
    if (!here)
        return NULL;
    if (!is_plain_tape(tape) || !is_true(GET(tape, GradientTape, _usable)) || !IS(target, EagerTensor) || immediate)
        Py_RETURN_NONE;
    PyObject *persistent = GET(tape, GradientTape, _persistent), *recording = GET(tape, GradientTape, _recording);
    PyObject *node = GET(target, EagerTensor, _node), *records = GET(tape, GradientTape, _records);
    PyObject *mode = GET(GET(here, Here, pending), Graph, immediate);
    if ((persistent != Py_False && is_true(recording)) || !IS(node, Node) || mode == Py_True ||
        !is_true(GET(GET(node, Node, aval), Aval, inexact)) || is_true(GET(GET(here, Here, graph), Graph, symbolic)) ||
        !PyList_GET_SIZE(records) || PyList_GET_SIZE(records) > number(of_tape_policy, name_max_records))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
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
    if (nodes && (!is_true(recording) || leave(here, tape) == 0)) {
        if (args[3] != Py_None)
            kind = PyTuple_GET_ITEM(args[3], PyTuple_GET_SIZE(GET(here, Here, watchers)) > 0);
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
    if (!result)
        Py_RETURN_NONE;
    if (persistent == Py_False && empty(tape) < 0)
        Py_CLEAR(result);
    if (!of_list && result)
        Py_SETREF(result, Py_NewRef(PyList_GET_ITEM(result, 0)));
    return result;
}
