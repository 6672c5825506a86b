/* Recording: nodes, tensors, what a thread records into, assignments. See `_record.py` and `_variable.py`. */
#include "native.h"

/* The empty tuple, borrowed; it is never freed. */
PyObject *nothing(void)
{
    static PyObject *empty;
    if (!empty)
        empty = PyTuple_New(0);
    return empty;
}

/* What the running thread records into; see `_graph.Here`. Threads have numbers that are never used again. */
PyObject *here_now(void)
{
    static uint64_t of_thread;
    static PyObject *here;
    uint64_t thread = PyThreadState_GetID(PyThreadState_Get());
    if (here && thread == of_thread)
        return here;
    if (!of_state) {
        PyErr_SetString(PyExc_RuntimeError, "tfcompat.engine is not imported");
        return NULL;
    }
    PyObject *found = PyObject_GetAttr(of_state, name_here);
    if (!found)
        return NULL;
    if (!IS(found, Here)) {
        Py_DECREF(found);
        PyErr_SetString(PyExc_TypeError, "state.here is no Here");
        return NULL;
    }
    PyObject *before = here;
    here = found;
    of_thread = thread;
    Py_XDECREF(before);
    return here;
}

static int append(PyObject *nodes, PyObject *node)
{
    if (PyList_CheckExact(nodes))
        return PyList_Append(nodes, node);
    PyObject *done = PyObject_CallMethod(nodes, "append", "O", node); /* it takes notes */
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* The nodes of the results of a pending node with several; see `_record._parts`. */
static PyObject *parts_of(PyObject *node, PyObject *aval, PyObject *graph, PyObject *nodes)
{
    PyObject *picks = GET(aval, TupleAval, picks), *parts = GET(aval, TupleAval, parts);
    if (GET(node, Node, value) != Py_None || !picks || !PyList_CheckExact(picks) || !PyList_CheckExact(nodes))
        return PyObject_CallOneArg(of_parts, node);
    Py_ssize_t count = PyList_GET_SIZE(picks);
    PyObject *found = PyTuple_New(count);
    PyObject *inputs = NULL;
    for (Py_ssize_t i = 0; found && i < count; i++) {
        inputs = PyTuple_Pack(1, node);
        PyObject *part = !inputs ? NULL
                                 : new_node(PyList_GET_ITEM(picks, i), inputs, PyTuple_GET_ITEM(parts, i), Py_None,
                                            graph);
        Py_XDECREF(inputs);
        if (!part || PyList_Append(nodes, part) < 0) {
            Py_XDECREF(part);
            Py_CLEAR(found);
            break;
        }
        PyTuple_SET_ITEM(found, i, part);
    }
    return found;
}

static PyObject *record_in(PyObject *here, PyObject *call, PyObject *inputs)
{
    PyObject *aval = GET(call, Call, aval), *graph = GET(here, Here, graph);
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
    if (PyList_GET_SIZE(nodes) >= limit || immediate) {
        PyObject *done = PyObject_CallFunctionObjArgs(of_due, graph, node, NULL);
        if (!done)
            goto failed;
        Py_DECREF(done);
    }
    if (!single) {
        PyObject *found = parts_of(node, aval, graph, nodes);
        Py_DECREF(node);
        node = found;
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
    PyObject *here = here_now();
    if (!here)
        return NULL;
    PyObject *result = record_in(here, call, inputs);
    if (!result)
        return NULL;
    PyObject *watchers = GET(here, Here, watchers);
    if (PyTuple_GET_SIZE(watchers) && is_true(GET(call, Call, differentiable))) {
        Py_INCREF(watchers);
        int told = tell_watchers(watchers, call, inputs, result);
        Py_DECREF(watchers);
        if (told < 0)
            Py_CLEAR(result);
    }
    return result;
}

PyObject *native_record(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "record() takes 2 arguments, %zd were given", count);
    if (!IS(args[0], Call) || !PyTuple_CheckExact(args[1]))
        return PyObject_CallFunctionObjArgs(of_record_slowly, args[0], args[1], NULL);
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

/* The tensor of a node, or the list of those of a tuple; takes the reference. */
PyObject *tensors_of(PyObject *result)
{
    PyObject *found;
    if (!result)
        return NULL;
    if (PyTuple_CheckExact(result)) {
        Py_ssize_t count = PyTuple_GET_SIZE(result);
        found = PyList_New(count);
        for (Py_ssize_t i = 0; found && i < count; i++) {
            PyObject *tensor = tensor_of(PyTuple_GET_ITEM(result, i));
            if (!tensor) {
                Py_CLEAR(found);
                break;
            }
            PyList_SET_ITEM(found, i, tensor);
        }
    } else {
        found = tensor_of(result);
    }
    Py_DECREF(result);
    return found;
}

PyObject *native_wrap(PyObject *module, PyObject *node)
{
    return is_node(node) ? tensor_of(node) : NULL;
}

/* Makes a node, which nobody else holds, the value of a variable that was `present`; see `_variable.Variable._own`. */
static int own(PyObject *here, PyObject *variable, PyObject *present, PyObject *node)
{
    PyObject *done = Py_NewRef(Py_None), *graph = GET(node, Node, graph);
    if (GET(here, Here, trial) != Py_None)
        Py_SETREF(done, PyObject_CallMethodOneArg(GET(here, Here, trial), name_assigned, variable));
    if (done && GET(present, Node, value) == Py_None)
        Py_SETREF(done, PyObject_CallOneArg(of_cut_before_assignment, present));
    if (!done)
        return -1;
    Py_DECREF(done);
    if (PyObject_SetAttr(variable, name_node, node) < 0)
        return -1;
    if (graph != Py_None && !is_true(GET(graph, Graph, symbolic))) {
        PyObject *mark = PyLong_FromSsize_t(PyList_GET_SIZE(GET(graph, Graph, nodes)));
        if (!mark)
            return -1;
        SET(graph, Graph, mark, mark);
        Py_DECREF(mark);
    }
    return 0;
}

/* take_each(variables, nodes): each of the nodes becomes the value of its variable, by its `_take` where something is not
   plain. */
PyObject *native_take_each(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *here = here_now();
    if (!here || count != 2 || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) ||
        PyList_GET_SIZE(args[0]) != PyTuple_GET_SIZE(args[1]))
        return here ? PyErr_Format(PyExc_TypeError, "take_each() takes variables and as many nodes") : NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); i++) {
        PyObject *variable = PyList_GET_ITEM(args[0], i), *node = PyTuple_GET_ITEM(args[1], i), *present = NULL;
        int plain = IS(variable, ResourceVariable) && IS(node, Node) && !PyTuple_GET_SIZE(GET(here, Here, watchers)) &&
                    !is_true(GET(GET(here, Here, graph), Graph, symbolic));
        if (plain && !(present = PyObject_GetAttr(variable, name_node)))
            return NULL;
        PyObject *done = NULL;
        if (present && IS(present, Node))
            done = own(here, variable, present, node) < 0 ? NULL : Py_NewRef(Py_None);
        else
            done = PyObject_CallMethodObjArgs(variable, name_take, node, NULL);
        Py_XDECREF(present);
        if (!done)
            return NULL;
        Py_DECREF(done);
    }
    Py_RETURN_NONE;
}

/* update(variable, value, calls, combined): assigns to a variable what `calls` makes of `value`, or of its
   present value and `value` if they are to be combined. True if that was done; False if it is to be done in Python. */
PyObject *native_update(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4)
        return PyErr_Format(PyExc_TypeError, "update() takes 4 arguments, %zd were given", count);
    PyObject *variable = args[0], *value = args[1], *calls = args[2];
    int combined = is_true(args[3]);
    if (!IS(variable, ResourceVariable) || !IS(value, EagerTensor) || debugging)
        Py_RETURN_FALSE;
    PyObject *here = here_now();
    if (!here)
        return NULL;
    PyObject *graph = GET(here, Here, graph);
    if (is_true(GET(graph, Graph, symbolic)))
        Py_RETURN_FALSE;
    PyObject *present = PyObject_GetAttr(variable, name_node);
    if (!present)
        return NULL;
    PyObject *node = GET(value, EagerTensor, _node), *result = NULL, *answer;
    PyObject *watchers = GET(here, Here, watchers);
    Py_INCREF(watchers);
    if (PyTuple_GET_SIZE(watchers))
        SET(here, Here, watchers, nothing());
    if (!IS(present, Node) || !IS(node, Node) || GET(node, Node, aval) != GET(present, Node, aval) ||
        is_true(GET(GET(node, Node, aval), Aval, host)))
        goto in_python;
    PyObject *nodes[2] = {combined ? present : node, node};
    PyObject *call = call_for(calls, of_no_attributes, nodes, combined ? 2 : 1);
    if (!call) {
        if (PyErr_Occurred())
            goto failed;
        goto in_python;
    }
    PyObject *inputs = combined ? PyTuple_Pack(2, present, node) : PyTuple_Pack(1, node);
    if (!inputs)
        goto failed;
    result = record_in(here, call, inputs); /* no tape is told */
    Py_DECREF(inputs);
    if (!result || !IS(result, Node))
        goto failed;
    if (own(here, variable, present, result) < 0)
        goto failed;
    answer = Py_True;
    goto end;
in_python:
    answer = Py_False;
    goto end;
failed:
    answer = NULL;
end:
    SET(here, Here, watchers, watchers);
    Py_DECREF(watchers);
    Py_DECREF(present);
    Py_XDECREF(result);
    Py_XINCREF(answer);
    return answer;
}

/* finish(nodes, wanted, results): gives nodes their values. */
PyObject *native_finish(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]))
        return PyErr_Format(PyExc_TypeError, "finish() takes a list of nodes, a tuple of places and results");
    PyObject *results = PySequence_Fast(args[2], "results are no sequence");
    if (!results)
        return NULL;
    Py_ssize_t wanted = PyTuple_GET_SIZE(args[1]);
    if (PySequence_Fast_GET_SIZE(results) != wanted) {
        Py_DECREF(results);
        return PyErr_Format(PyExc_ValueError, "%zd results were expected", wanted);
    }
    for (Py_ssize_t i = 0; i < wanted; i++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(args[1], i));
        if (place < 0 || place >= PyList_GET_SIZE(args[0])) {
            Py_DECREF(results);
            return PyErr_Format(PyExc_IndexError, "there is no node %zd", place);
        }
        PyObject *node = PyList_GET_ITEM(args[0], place);
        if (!is_node(node)) {
            Py_DECREF(results);
            return NULL;
        }
        SET(node, Node, value, PySequence_Fast_GET_ITEM(results, i));
        SET(node, Node, inputs, nothing());
    }
    Py_DECREF(results);
    Py_RETURN_NONE;
}

/* The arrays of nodes; None where they must be `known` and one is not. */
static PyObject *arrays_of(PyObject *nodes, int known)
{
    if (!PyTuple_CheckExact(nodes) && !PyList_CheckExact(nodes))
        return PyErr_Format(PyExc_TypeError, "arrays() takes a list or a tuple of nodes");
    Py_ssize_t count = PySequence_Fast_GET_SIZE(nodes);
    PyObject *found = PyList_New(count);
    for (Py_ssize_t i = 0; found && i < count; i++) {
        PyObject *node = PySequence_Fast_GET_ITEM(nodes, i), *value;
        if (!is_node(node)) {
            Py_DECREF(found);
            return NULL;
        }
        value = GET(node, Node, value);
        if (known && (value == Py_None || IS(value, Failure))) {
            Py_DECREF(found);
            Py_RETURN_NONE;
        }
        value = IS(value, ndarray) ? PyObject_CallOneArg(of_on_device, node) : Py_NewRef(value);
        if (!value) {
            Py_DECREF(found);
            return NULL;
        }
        PyList_SET_ITEM(found, i, value);
    }
    return found;
}

PyObject *native_arrays(PyObject *module, PyObject *nodes) { return arrays_of(nodes, 0); }

PyObject *native_known_arrays(PyObject *module, PyObject *nodes) { return arrays_of(nodes, 1); }
