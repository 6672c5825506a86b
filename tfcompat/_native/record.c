/* Twins of `engine/_record.py`, `_core/tensor.wrap`, `engine/_flush._set_values`, and `arrays_of` and `known_arrays` in
   `engine/_program.py`: recording operations, and what programs take and return. */
#include "native.h"

PyObject *nothing(void)
{
    static PyObject *empty;
    if (!empty)
        empty = PyTuple_New(0);
    return empty;
}

/* The `Context` of the running thread, looked up when the thread changes: that takes longer than the rest of an
   operation. Threads have numbers that are never reused. */
PyObject *context_now(void)
{
    static uint64_t of_thread;
    static PyObject *context;
    uint64_t thread = PyThreadState_GetID(PyThreadState_Get());
    if (context && thread == of_thread)
        return context;
    if (!of_state) {
        PyErr_SetString(PyExc_RuntimeError, "tfcompat.engine is not imported");
        return NULL;
    }
    PyObject *present = PyObject_GetAttr(of_state, name_context);
    if (!present)
        return NULL;
    if (!IS(present, Context)) {
        Py_DECREF(present);
        PyErr_SetString(PyExc_TypeError, "state.context is no Context");
        return NULL;
    }
    PyObject *before = context;
    context = present;
    of_thread = thread;
    Py_XDECREF(before);
    return context;
}

static int append(PyObject *nodes, PyObject *node)
{
    if (PyList_CheckExact(nodes))
        return PyList_Append(nodes, node);
    PyObject *done = PyObject_CallMethod(nodes, "append", "O", node); /* a list that takes notes */
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* `_parts`: a node for each result of a pending node that has several. */
static PyObject *parts_of(PyObject *node, PyObject *aval, PyObject *graph, PyObject *nodes)
{
    PyObject *picks = GET(aval, TupleAval, picks), *parts = GET(aval, TupleAval, parts);
    if (GET(node, Node, value) != Py_None || !picks || !PyList_CheckExact(picks) || !PyList_CheckExact(nodes))
        return PyObject_CallOneArg(of_parts, node);
    Py_ssize_t count = PyList_GET_SIZE(picks);
    PyObject *results = PyTuple_New(count);
    PyObject *inputs = NULL;
    for (Py_ssize_t i = 0; results && i < count; i++) {
        inputs = PyTuple_Pack(1, node);
        PyObject *part = !inputs ? NULL
                                 : new_node(PyList_GET_ITEM(picks, i), inputs, PyTuple_GET_ITEM(parts, i), Py_None,
                                            graph);
        Py_XDECREF(inputs);
        if (!part || PyList_Append(nodes, part) < 0) {
            Py_XDECREF(part);
            Py_CLEAR(results);
            break;
        }
        PyTuple_SET_ITEM(results, i, part);
    }
    return results;
}

/* The inputs of a check that takes the results of its call as well. */
static PyObject *with_results(PyObject *inputs, PyObject *result)
{
    PyObject *results = PyTuple_CheckExact(result) ? Py_NewRef(result) : PyTuple_Pack(1, result);
    PyObject *all = results ? PySequence_Concat(inputs, results) : NULL;
    Py_XDECREF(results);
    return all;
}

/* `KnownCheck.has_passed`: whether inputs have the values that met a check last. */
static int has_passed(PyObject *known, PyObject *inputs)
{
    PyObject *passed = GET(known, KnownCheck, passed);
    Py_ssize_t count = PyTuple_GET_SIZE(passed);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *one = PyTuple_GET_ITEM(passed, k), *reshape = PyTuple_GET_ITEM(one, 1);
        PyObject *node = PyTuple_GET_ITEM(inputs, PyLong_AsSsize_t(PyTuple_GET_ITEM(one, 0)));
        if (reshape != Py_None) {
            PyObject *sources = GET(node, Node, inputs);
            if (GET(node, Node, call) != reshape || !PyTuple_GET_SIZE(sources))
                return 0;
            node = PyTuple_GET_ITEM(sources, 0);
        }
        if (GET(node, Node, value) != PyTuple_GET_ITEM(one, 2))
            return 0;
    }
    return count > 0;
}

/* Whether `KnownCheck.takes` might take inputs: what it needs is not pending. */
static int may_be_known(PyObject *known, PyObject *inputs)
{
    PyObject *needed = GET(known, KnownCheck, needed);
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(needed); k++) {
        PyObject *node = PyTuple_GET_ITEM(inputs, PyLong_AsSsize_t(PyList_GET_ITEM(needed, k)));
        PyObject *sources = GET(node, Node, inputs);
        if (GET(node, Node, value) == Py_None && PyTuple_GET_SIZE(sources) > 0)
            node = PyTuple_GET_ITEM(sources, 0); /* it may be a reshape of what is known */
        PyObject *value = GET(node, Node, value);
        if (value == Py_None || (GET(node, Node, call) != Py_None && !IS(value, ndarray)))
            return 0;
    }
    return 1;
}

/* `_record_check`: records the check of what a call requires of its inputs, and maybe of its results. */
static int record_check(PyObject *call, PyObject *check, PyObject *inputs, PyObject *graph, PyObject *nodes)
{
    PyObject *done = NULL;
    if (is_true(GET(graph, Graph, symbolic))) {
        done = PyObject_CallFunctionObjArgs(of_check_in_capture, call, inputs, NULL);
        Py_XDECREF(done);
        return done ? 0 : -1;
    }
    PyObject *at_once = GET(check, Call, at_once);
    int checked = IS(at_once, KnownCheck);
    if (checked && has_passed(at_once, inputs))
        return 0;
    if (checked ? may_be_known(at_once, inputs) : at_once != Py_False) {
        done = PyObject_CallFunctionObjArgs(of_check_known, check, inputs, NULL);
        int known = done ? is_true(done) : -1;
        Py_XDECREF(done);
        if (known)
            return known < 0 ? -1 : 0;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(inputs);
    PyObject *before = GET(graph, Graph, report), *all = PyTuple_New(count + 1);
    if (!all)
        return -1;
    PyTuple_SET_ITEM(all, 0, Py_NewRef(before == Py_None ? of_no_report : before));
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(all, i + 1, Py_NewRef(PyTuple_GET_ITEM(inputs, i)));
    PyObject *report = new_node(check, all, GET(check, Call, aval), Py_None, graph);
    Py_DECREF(all);
    if (!report || append(nodes, report) < 0) {
        Py_XDECREF(report);
        return -1;
    }
    SET(graph, Graph, report, report);
    done = Py_None;
    if (PyList_GET_SIZE(nodes) >= PyLong_AsSsize_t(GET(graph, Graph, limit)) || IMMEDIATE)
        done = PyObject_CallFunctionObjArgs(of_limit_reached, graph, report, NULL);
    else
        Py_INCREF(done);
    Py_DECREF(report);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyObject *recorded_untold(PyObject *context, PyObject *call, PyObject *inputs)
{
    PyObject *aval = GET(call, Call, aval), *graph = GET(context, Context, graph);
    int single = aval && IS(aval, Aval);
    if (!IS(graph, Graph) || !aval || !(single || IS(aval, TupleAval)))
        return PyErr_Format(PyExc_TypeError, "a graph and an aval are needed to record %R", call);
    PyObject *traced = single ? GET(aval, Aval, traced) : GET(aval, TupleAval, traced);
    if (is_true(traced) && !is_true(GET(graph, Graph, symbolic)))
        return PyObject_CallFunctionObjArgs(of_apply_to_tracers, call, inputs, NULL);
    PyObject *nodes = GET(graph, Graph, nodes);
    PyObject *node = new_node(call, inputs, aval, Py_None, graph);
    if (!node)
        return NULL;
    Py_INCREF(graph);
    Py_INCREF(nodes);
    if (append(nodes, node) < 0)
        goto failed;
    Py_ssize_t limit = PyLong_AsSsize_t(GET(graph, Graph, limit));
    if (PyList_GET_SIZE(nodes) >= limit || IMMEDIATE) {
        PyObject *done = PyObject_CallFunctionObjArgs(of_limit_reached, graph, node, NULL);
        if (!done)
            goto failed;
        Py_DECREF(done);
    }
    if (!single) {
        PyObject *results = parts_of(node, aval, graph, nodes);
        Py_DECREF(node);
        node = results;
    }
    PyObject *check = IS(call, Call) ? GET(call, Call, check) : NULL;
    if (node && check && check != Py_None) {
        int of_results = is_true(GET(GET(call, Call, operation), Operation, requires_results));
        PyObject *checked = of_results ? with_results(inputs, node) : Py_NewRef(inputs);
        int done = checked ? record_check(call, check, checked, graph, nodes) : -1;
        Py_XDECREF(checked);
        if (done < 0)
            goto failed;
    }
    Py_DECREF(graph);
    Py_DECREF(nodes);
    return node;
failed:
    Py_DECREF(graph);
    Py_DECREF(nodes);
    Py_DECREF(node);
    return NULL;
}

PyObject *recorded(PyObject *call, PyObject *inputs)
{
    PyObject *context = context_now();
    if (!context)
        return NULL;
    PyObject *result = recorded_untold(context, call, inputs);
    if (!result)
        return NULL;
    PyObject *watchers = GET(context, Context, watchers);
    if (PyTuple_GET_SIZE(watchers) && is_true(GET(call, Call, differentiable))) {
        Py_INCREF(watchers);
        int told = tell_watchers(watchers, call, inputs, result);
        Py_DECREF(watchers);
        if (told < 0)
            Py_CLEAR(result);
    }
    return result;
}

PyObject *compiled_record(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 2 || names || !IS(args[0], Call) || !PyTuple_CheckExact(args[1]))
        return NULL;
    return recorded(args[0], args[1]);
}

PyObject *tensor_of(PyObject *node)
{
    PyObject *graph = GET(node, Node, graph);
    int eager = graph == Py_None || !is_true(GET(graph, Graph, symbolic));
    PyTypeObject *type = (PyTypeObject *)(eager ? of_EagerTensor : of_SymbolicTensor);
    PyObject *tensor = type->tp_alloc(type, 0);
    if (!tensor)
        return NULL;
    Py_INCREF(node);
    GET(tensor, EagerTensor, _node) = node;
    return tensor;
}

/* The tensor of a node, or the list of the tensors of a tuple of nodes. Steals the reference to its argument. */
PyObject *tensors_of(PyObject *result)
{
    PyObject *tensors;
    if (!result)
        return NULL;
    if (PyTuple_CheckExact(result)) {
        Py_ssize_t count = PyTuple_GET_SIZE(result);
        tensors = PyList_New(count);
        for (Py_ssize_t i = 0; tensors && i < count; i++) {
            PyObject *tensor = tensor_of(PyTuple_GET_ITEM(result, i));
            if (!tensor) {
                Py_CLEAR(tensors);
                break;
            }
            PyList_SET_ITEM(tensors, i, tensor);
        }
    } else {
        tensors = tensor_of(result);
    }
    Py_DECREF(result);
    return tensors;
}

PyObject *compiled_wrap(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return count == 1 && !names && IS(args[0], Node) ? tensor_of(args[0]) : NULL;
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* A tuple of nodes with these avals and values. */
static PyObject *leaves(PyObject *avals, PyObject *values)
{
    Py_ssize_t many = PyTuple_GET_SIZE(avals);
    PyObject *nodes = PyTuple_New(many);
    for (Py_ssize_t i = 0; nodes && i < many; i++) {
        PyObject *aval = PyTuple_GET_ITEM(avals, i), *value = PySequence_Fast_GET_ITEM(values, i);
        PyObject *node = new_node(Py_None, nothing(), aval, value, of_running);
        if (!node) {
            Py_CLEAR(nodes);
            break;
        }
        PyTuple_SET_ITEM(nodes, i, node);
    }
    return nodes;
}

static int is_sequence(PyObject *values) { return PyList_CheckExact(values) || PyTuple_CheckExact(values); }

PyObject *compiled_leaves(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 2 || names || !PyTuple_CheckExact(args[0]) || !is_sequence(args[1]) ||
        PySequence_Fast_GET_SIZE(args[1]) != PyTuple_GET_SIZE(args[0]))
        return NULL;
    return leaves(args[0], args[1]);
}

/* set_values(nodes, outputs, results): gives nodes their values. */
PyObject *compiled_set_values(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) || !is_sequence(args[2]) ||
        PySequence_Fast_GET_SIZE(args[2]) != PyTuple_GET_SIZE(args[1]))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); i++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(args[1], i));
        if (place < 0 || place >= PyList_GET_SIZE(args[0]) || !IS(PyList_GET_ITEM(args[0], place), Node))
            return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); i++) {
        PyObject *node = PyList_GET_ITEM(args[0], PyLong_AsSsize_t(PyTuple_GET_ITEM(args[1], i)));
        SET(node, Node, value, PySequence_Fast_GET_ITEM(args[2], i));
        SET(node, Node, inputs, nothing());
    }
    Py_RETURN_NONE;
}

/* The arrays of nodes, a list or a tuple; `small` ones stay on the host if asked for. None where a value must be `known`
   and is not; NULL without an error where something is no node. */
static PyObject *arrays_of(PyObject *nodes, int known, int small)
{
    if (!is_sequence(nodes))
        return NULL;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(nodes);
    PyObject *arrays = PyList_New(count);
    for (Py_ssize_t i = 0; arrays && i < count; i++) {
        PyObject *node = PySequence_Fast_GET_ITEM(nodes, i), *value;
        if (!IS(node, Node)) {
            Py_CLEAR(arrays);
            break;
        }
        value = GET(node, Node, value);
        if (known && (value == Py_None || IS(value, Failure))) {
            Py_DECREF(arrays);
            Py_RETURN_NONE;
        }
        int moves = IS(value, ndarray) && (!small || is_true(GET(GET(node, Node, aval), Aval, large)));
        value = moves ? PyObject_CallOneArg(of_on_device, node) : Py_NewRef(value);
        if (!value) {
            Py_CLEAR(arrays);
            break;
        }
        PyList_SET_ITEM(arrays, i, value);
    }
    return arrays;
}

PyObject *compiled_arrays(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return count == 1 && !names ? arrays_of(args[0], 0, 0) : NULL;
}

PyObject *compiled_arrays_for_replicas(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return count == 1 && !names ? arrays_of(args[0], 0, 1) : NULL;
}

PyObject *compiled_known_arrays(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return count == 1 && !names ? arrays_of(args[0], 1, 0) : NULL;
}

/* The tuple of nodes that this thread is about to compute, of `RUNNING`; NULL with an error. */
static PyObject *running_nodes(PyObject *context, PyObject *avals)
{
    PyObject *nodes = PyTuple_New(PyTuple_GET_SIZE(avals));
    for (Py_ssize_t i = 0; nodes && i < PyTuple_GET_SIZE(avals); i++) {
        PyObject *node = new_node(Py_None, nothing(), PyTuple_GET_ITEM(avals, i), Py_None, of_running);
        if (!node)
            Py_CLEAR(nodes);
        else
            PyTuple_SET_ITEM(nodes, i, node);
    }
    if (nodes)
        SET(context, Context, running, nodes);
    return nodes;
}

/* Puts nodes, from the `first` on, in the place of inputs, by `assign`: True, False, or NULL with an error. */
static PyObject *assigned_by(PyObject *assign, PyObject *nodes, PyObject *inputs, PyObject *places, Py_ssize_t first)
{
    Py_ssize_t many = PyTuple_GET_SIZE(places);
    PyObject *after = PyTuple_GetSlice(nodes, first, first + many), *before = PyList_New(many), *done = NULL;
    for (Py_ssize_t i = 0; before && i < many; i++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(places, i));
        PyList_SET_ITEM(before, i, Py_NewRef(PyList_GET_ITEM(inputs, place)));
    }
    if (after && before)
        done = PyObject_CallFunctionObjArgs(assign, after, before, Py_False, NULL);
    Py_XDECREF(after);
    Py_XDECREF(before);
    return done;
}

/* Sets the values of `running` nodes, and tells who waits for them; -1 with an error. */
static int end_run(PyObject *context, PyObject *nodes, PyObject *values)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(nodes); i++)
        SET(PyTuple_GET_ITEM(nodes, i), Node, value, PySequence_Fast_GET_ITEM(values, i));
    SET(context, Context, running, nothing());
    PyObject *done = PyObject_CallNoArgs(of_run_ended);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static PyObject *run(PyObject *program, PyObject *arrays, PyObject *rescued, Py_ssize_t count)
{
    PyObject *values = PyObject_CallMethodObjArgs(program, name_run, arrays, rescued, NULL);
    if (values && (!is_sequence(values) || PySequence_Fast_GET_SIZE(values) != count)) {
        PyErr_SetString(PyExc_ValueError, "a program did not return as many values as its operation has results");
        Py_CLEAR(values);
    }
    return values;
}

/* Assigns variables what a program is going to return, and runs it: the nodes, or False. */
static PyObject *run_assigning(PyObject *context, PyObject *avals, PyObject *program, PyObject *arrays,
                               PyObject *const *args)
{
    PyObject *inputs = args[1], *places = args[3], *first = args[4], *assign = args[5];
    PyObject *nodes = running_nodes(context, avals), *rescued = PyList_New(0), *values = NULL;
    PyObject *done = NULL;
    if (nodes && rescued)
        done = assigned_by(assign, nodes, inputs, places, PyLong_AsSsize_t(first));
    if (done == Py_False) {
        SET(context, Context, running, nothing());
        Py_DECREF(nodes);
        Py_DECREF(rescued);
        return done;
    }
    if (done && (values = run(program, arrays, rescued, PyTuple_GET_SIZE(avals))) && end_run(context, nodes, values) < 0)
        Py_CLEAR(values);
    if (!values && nodes && rescued) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
        PyObject *undone =
            PyObject_CallFunctionObjArgs(of_undo, nodes, inputs, places, first, assign, rescued, error, NULL);
        Py_XDECREF(undone);
        PyErr_Restore(type, error, traceback);
    }
    if (!values)
        Py_CLEAR(nodes);
    Py_XDECREF(done);
    Py_XDECREF(values);
    Py_XDECREF(rescued);
    return nodes;
}

/* Whether all items of a tuple are indices of `many` things. */
static int are_places(PyObject *places, Py_ssize_t many)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(places); i++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(places, i));
        if (place < 0 || place >= many)
            return 0;
    }
    return 1;
}

/* Whether none of the values at some places may be overwritten: they are small, or parts of arrays. */
static int are_kept(PyObject *inputs, PyObject *places)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(places); i++) {
        PyObject *node = PyList_GET_ITEM(inputs, PyLong_AsSsize_t(PyTuple_GET_ITEM(places, i)));
        PyObject *aval = GET(node, Node, aval);
        if (!IS(aval, Aval) || (is_true(GET(aval, Aval, large)) && !IS(GET(node, Node, value), Part)))
            return 0;
    }
    return 1;
}

/* run_at_once(operation, inputs, overwritten, assigned, first, assign), if no input is overwritten, all are known, and so is
   the program. */
PyObject *compiled_run_at_once(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (!context || count != 6 || names || !IS(args[0], Operation) || !is_list_of_nodes(args[1]) ||
        !PyTuple_CheckExact(args[2]) || !are_places(args[2], PyList_GET_SIZE(args[1])) ||
        !are_kept(args[1], args[2]) || !PyTuple_CheckExact(args[3]) ||
        !are_places(args[3], PyList_GET_SIZE(args[1])) || !PyLong_CheckExact(args[4]))
        return NULL;
    PyObject *graph = GET(context, Context, graph);
    PyObject *mode = GET(graph, Graph, immediate), *nodes = GET(graph, Graph, nodes);
    if (PyTuple_GET_SIZE(GET(context, Context, watchers)) || is_true(GET(graph, Graph, symbolic)) ||
        (mode == Py_None ? IMMEDIATE : is_true(mode)) || !PyList_CheckExact(nodes))
        return NULL;
    Py_ssize_t least = policy_number(of_recording_policy, name_at_once);
    if (PyErr_Occurred() || PyLong_AsSsize_t(GET(args[0], Operation, weight)) < least)
        return NULL;
    PyObject *call = call_for(GET(args[0], Operation, calls), of_no_attributes, ((PyListObject *)args[1])->ob_item,
                              PyList_GET_SIZE(args[1]));
    PyObject *aval = call ? GET(call, Call, aval) : NULL;
    if (!aval || !IS(aval, TupleAval) || is_true(GET(aval, TupleAval, traced)) ||
        PyTuple_GET_SIZE(GET(aval, TupleAval, parts)) < PyLong_AsSsize_t(args[4]) + PyTuple_GET_SIZE(args[3]))
        return NULL;
    PyObject *program = PyDict_GetItemWithError(GET(call, Call, programs), nothing()), *result = NULL;
    if (!program)
        return NULL;
    Py_INCREF(call);
    Py_INCREF(program);
    PyObject *done = PyList_GET_SIZE(nodes) ? PyObject_CallOneArg(of_flush, graph) : Py_NewRef(Py_None);
    PyObject *arrays = done ? arrays_of(args[1], 1, 0) : NULL, *parts = GET(aval, TupleAval, parts);
    if (arrays && arrays != Py_None && args[5] != Py_None) {
        result = run_assigning(context, parts, program, arrays, args);
    } else if (arrays && arrays != Py_None) {
        PyObject *values = run(program, arrays, Py_None, PyTuple_GET_SIZE(parts));
        result = values ? leaves(parts, values) : NULL;
        Py_XDECREF(values);
    }
    Py_XDECREF(done);
    Py_XDECREF(arrays);
    Py_DECREF(program);
    Py_DECREF(call);
    return result;
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* `UnrolledLoop.goes_on` and `UnrolledLoop.keeps`, and what `next_iteration` does then: 1; 0 if the loop does not go
   on, -1 with an error. */
static int go_on(PyObject *graph, PyObject *loop)
{
    PyObject *calls = GET(loop, UnrolledLoop, calls), *nodes = GET(graph, Graph, nodes);
    PyObject *ends = GET(graph, Graph, iteration_ends);
    Py_ssize_t pending = PyList_GET_SIZE(ends), start = 0, count = PyList_GET_SIZE(nodes);
    if (pending)
        start = PyLong_AsSsize_t(PyList_GET_ITEM(ends, pending - 1));
    if (count - start != PyTuple_GET_SIZE(calls))
        return 0;
    for (Py_ssize_t i = start; i < count; i++)
        if (GET(PyList_GET_ITEM(nodes, i), Node, call) != PyTuple_GET_ITEM(calls, i - start))
            return 0;
    Py_ssize_t iterations = PyLong_AsSsize_t(GET(loop, UnrolledLoop, _iterations)) + 1;
    PyObject *value = PyLong_FromSsize_t(iterations);
    if (!value)
        return -1;
    SET(loop, UnrolledLoop, _iterations, value);
    Py_DECREF(value);
    if (iterations >= PyLong_AsSsize_t(GET(loop, UnrolledLoop, _pending_from))) {
        if (!(value = PyLong_FromSsize_t(count)))
            return -1;
        int added = PyList_Append(ends, value);
        Py_DECREF(value);
        if (added < 0 || !(value = PyLong_FromSsize_t(count + policy_number(of_recording_policy, name_loop_check))))
            return -1;
        SET(graph, Graph, limit, value);
        Py_DECREF(value);
        if (pending + 1 < PyLong_AsSsize_t(GET(loop, UnrolledLoop, _max_pending)))
            return PyErr_Occurred() ? -1 : 1;
    }
    PyObject *done = PyErr_Occurred() ? NULL : PyObject_CallOneArg(of_flush, graph);
    Py_XDECREF(done);
    return done ? 1 : -1;
}

/* next_iteration(), if iterations of the loop stay pending. */
PyObject *compiled_next_iteration(PyObject *const *Py_UNUSED(args), Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (!context || count || names)
        return NULL;
    PyObject *graph = GET(context, Context, graph);
    if (is_true(GET(graph, Graph, symbolic)) || !PyList_GET_SIZE(GET(graph, Graph, nodes)) ||
        GET(context, Context, replica) != Py_None)
        Py_RETURN_NONE;
    PyObject *loop = GET(graph, Graph, loop);
    if (!IS(loop, UnrolledLoop))
        return NULL;
    Py_INCREF(graph);
    Py_INCREF(loop);
    int gone_on = go_on(graph, loop);
    Py_DECREF(loop);
    Py_DECREF(graph);
    return gone_on > 0 ? Py_NewRef(Py_None) : NULL;
}
