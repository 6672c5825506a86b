/* Twins of `_core/variable.py`, and `read` of `function/_trace.py`: variables that are read and assigned. */
#include "native.h"

PyObject *current_node(PyObject *variable)
{
    PyObject *context = context_now(), *node;
    if (!context)
        return NULL;
    if (is_true(GET(GET(context, Context, graph), Graph, symbolic)))
        node = PyObject_CallMethodNoArgs(variable, name_current_node);
    else
        node = PyObject_GetAttr(variable, name_node);
    if (node && !IS(node, Node))
        Py_CLEAR(node);
    return node;
}

/* `ResourceVariable._as_node`: as `current_node`; tapes are told. */
static PyObject *read_node(PyObject *variable)
{
    PyObject *node = current_node(variable);
    if (node && tell_of_reads(&variable, &node, 1) < 0)
        Py_CLEAR(node);
    return node;
}

PyObject *compiled_as_node(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return count == 1 && !names && IS(args[0], ResourceVariable) ? read_node(args[0]) : NULL;
}

/* read(variables): the list of their nodes. */
PyObject *compiled_read(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 1 || names || !PyList_CheckExact(args[0]))
        return NULL;
    Py_ssize_t many = PyList_GET_SIZE(args[0]);
    PyObject *nodes = PyList_New(many);
    for (Py_ssize_t i = 0; nodes && i < many; i++) {
        PyObject *variable = PyList_GET_ITEM(args[0], i);
        PyObject *node = IS(variable, ResourceVariable) ? read_node(variable) : NULL;
        if (!node && !PyErr_Occurred())
            node = PyObject_CallMethodNoArgs(variable, name_as_node);
        if (!node) {
            Py_CLEAR(nodes);
            break;
        }
        PyList_SET_ITEM(nodes, i, node);
    }
    return nodes;
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* `ResourceVariable._own`: makes a node, which nobody else holds, the value of a variable that was `present`. */
static int own(PyObject *context, PyObject *variable, PyObject *present, PyObject *node)
{
    PyObject *done = Py_NewRef(Py_None), *graph = GET(node, Node, graph);
    if (GET(context, Context, trial) != Py_None)
        Py_SETREF(done, PyObject_CallMethodOneArg(GET(context, Context, trial), name_assigned, variable));
    if (done && GET(present, Node, value) == Py_None)
        Py_SETREF(done, PyObject_CallOneArg(of_cut_before_assignment, present));
    if (!done)
        return -1;
    Py_DECREF(done);
    PyObject *around = GET(context, Context, graph);
    if (GET(around, Graph, report) != Py_None) {
        done = PyObject_CallFunctionObjArgs(of_note_assignment, around, variable, present, node, NULL);
        if (!done)
            return -1;
        Py_DECREF(done);
    }
    if (PyObject_SetAttr(variable, name_node, node) < 0)
        return -1;
    if (graph != Py_None && !is_true(GET(graph, Graph, symbolic))) {
        PyObject *mark = PyLong_FromSsize_t(PyList_GET_SIZE(GET(graph, Graph, nodes)));
        if (!mark)
            return -1;
        SET(graph, Graph, cut_point, mark);
        Py_DECREF(mark);
    }
    return 0;
}

/* take_each(variables, nodes): each of the nodes becomes the value of its variable. */
PyObject *compiled_take_each(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (!context || count != 2 || names || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) ||
        PyList_GET_SIZE(args[0]) != PyTuple_GET_SIZE(args[1]))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); i++) {
        PyObject *variable = PyList_GET_ITEM(args[0], i), *node = PyTuple_GET_ITEM(args[1], i), *present = NULL;
        int plain = IS(variable, ResourceVariable) && IS(node, Node) &&
                    !PyTuple_GET_SIZE(GET(context, Context, watchers)) &&
                    !is_true(GET(GET(context, Context, graph), Graph, symbolic));
        if (plain && !(present = PyObject_GetAttr(variable, name_node)))
            return NULL;
        PyObject *done = NULL;
        if (present && IS(present, Node))
            done = own(context, variable, present, node) < 0 ? NULL : Py_NewRef(Py_None);
        else
            done = PyObject_CallMethodObjArgs(variable, name_take, node, NULL);
        Py_XDECREF(present);
        if (!done)
            return NULL;
        Py_DECREF(done);
    }
    Py_RETURN_NONE;
}

/* Records what `operation` makes of a value, or of the present value and that one if they are `combined`, and assigns
   it: 1; 0 where that is left to Python, -1 with an error. No tape is told. */
static int assign_result(PyObject *context, PyObject *variable, PyObject *value, PyObject *operation, int combined)
{
    PyObject *present = PyObject_GetAttr(variable, name_node), *node = GET(value, EagerTensor, _node), *result = NULL;
    int done = -1;
    if (!present)
        return -1;
    if (!node || !IS(present, Node) || !IS(node, Node) || GET(node, Node, aval) != GET(present, Node, aval) ||
        is_true(GET(GET(node, Node, aval), Aval, host))) {
        done = 0;
        goto end;
    }
    PyObject *nodes[2] = {combined ? present : node, node};
    PyObject *call = call_for(GET(operation, Operation, calls), of_no_attributes, nodes, combined ? 2 : 1);
    if (!call) {
        done = PyErr_Occurred() ? -1 : 0;
        goto end;
    }
    PyObject *inputs = combined ? PyTuple_Pack(2, present, node) : PyTuple_Pack(1, node);
    if (!inputs)
        goto end;
    result = recorded_untold(context, call, inputs);
    Py_DECREF(inputs);
    if (result && !IS(result, Node))
        PyErr_SetString(PyExc_TypeError, "an assignment has one result");
    else if (result && own(context, variable, present, result) == 0)
        done = 1;
end:
    Py_DECREF(present);
    Py_XDECREF(result);
    return done;
}

/* `Variable.assign`, `assign_add` and `assign_sub` of an eager tensor. */
static PyObject *update(PyObject *operation, int combined, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const assign_parameters[] = {"self", "value", "use_locking", "name", "read_value"};
    static const char *const add_parameters[] = {"self", "delta", "use_locking", "name", "read_value"};
    PyObject *values[5] = {NULL, NULL, NULL, NULL, Py_True};
    if (!bind_arguments(args, count, names, combined ? add_parameters : assign_parameters, 5, 2, values))
        return NULL;
    PyObject *variable = values[0], *read_value = values[4], *context = context_now();
    if (!context || !IS(variable, ResourceVariable) || !IS(values[1], EagerTensor) || !operation ||
        !IS(operation, Operation) || !PyBool_Check(read_value) ||
        is_true(GET(GET(context, Context, graph), Graph, symbolic)))
        return NULL;
    PyObject *watchers = Py_NewRef(GET(context, Context, watchers));
    if (PyTuple_GET_SIZE(watchers))
        SET(context, Context, watchers, nothing());
    int done = assign_result(context, variable, values[1], operation, combined);
    SET(context, Context, watchers, watchers);
    Py_DECREF(watchers);
    if (done <= 0)
        return NULL;
    if (read_value == Py_False)
        Py_RETURN_NONE;
    if (PyTuple_GET_SIZE(GET(context, Context, watchers))) { /* counts as a read, as in TensorFlow */
        PyObject *node = PyObject_CallMethodNoArgs(variable, name_as_node);
        if (!node)
            return NULL;
        Py_DECREF(node);
    }
    return Py_NewRef(variable);
}

PyObject *compiled_assign(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return update(of_assign_operation, 0, args, count, names);
}

PyObject *compiled_assign_add(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return update(of_add_operation, 1, args, count, names);
}

PyObject *compiled_assign_sub(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return update(of_subtract_operation, 1, args, count, names);
}
