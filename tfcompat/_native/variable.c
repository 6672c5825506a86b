/* Twins of `_core/variable.py`, and `read` of `function/_trace.py`: variables that are read and assigned. */
#include "native.h"

PyObject *part_here(PyObject *variable)
{
    PyObject *context = context_now(), *replica = context ? GET(context, Context, replica) : Py_None, *part = NULL;
    if (!PyLong_CheckExact(replica))
        return NULL;
    Py_ssize_t number = PyLong_AsSsize_t(replica);
    PyObject *parts = PyObject_GetAttr(variable, name_parts); /* the variable holds it for good */
    if (parts && PyTuple_CheckExact(parts) && number >= 0 && number < PyTuple_GET_SIZE(parts))
        part = PyTuple_GET_ITEM(parts, number);
    Py_XDECREF(parts);
    if (!parts)
        PyErr_Clear();
    return part && IS(part, ResourceVariable) ? part : NULL;
}

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

/* `_exchange`: gives variables the values `nodes`, if they have those that are `present`; 1, 0 if one has another, -1
   with an error. The interpreter's lock is held throughout: what was the value is freed at the end. */
static int exchange(PyObject *const *variables, PyObject *const *present, PyObject *const *nodes, Py_ssize_t count)
{
    PyObject *before = PyList_New(count);
    int done = before ? 1 : -1;
    for (Py_ssize_t i = 0; done > 0 && i < count; i++) {
        PyObject *node = PyObject_GetAttr(variables[i], name_node);
        PyList_SET_ITEM(before, i, node);
        done = !node ? -1 : !present || node == present[i];
    }
    for (Py_ssize_t i = 0; done > 0 && i < count; i++)
        if (PyObject_SetAttr(variables[i], name_node, nodes[i]) < 0)
            done = -1;
    Py_XDECREF(before);
    return done;
}

/* What precedes an assignment to a variable with the value `present`: -1 with an error. */
static int about_to_assign(PyObject *context, PyObject *variable, PyObject *present, int cut)
{
    PyObject *done = Py_NewRef(Py_None);
    if (GET(context, Context, trial) != Py_None)
        Py_SETREF(done, PyObject_CallMethodOneArg(GET(context, Context, trial), name_assigned, variable));
    if (done && cut && GET(present, Node, value) == Py_None)
        Py_SETREF(done, PyObject_CallOneArg(of_cut_before_assignment, present));
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Notes the assignment of `node`, if it may have to be taken back, and where a loop may be cut; -1 with an error. */
static int assigned(PyObject *context, PyObject *variable, PyObject *present, PyObject *node)
{
    PyObject *graph = GET(node, Node, graph), *around = GET(context, Context, graph);
    PyObject *gathering = GET(around, Graph, gathering);
    if (gathering != Py_None) {
        PyObject *entry = PyTuple_Pack(2, variable, present);
        int failed = !entry || PyList_Append(GET(gathering, Gathering, _assignments), entry) < 0;
        Py_XDECREF(entry);
        if (failed)
            return -1;
    }
    if (GET(around, Graph, report) != Py_None) {
        PyObject *done = PyObject_CallFunctionObjArgs(of_note_assignment, around, variable, present, node, NULL);
        if (!done)
            return -1;
        Py_DECREF(done);
    }
    if (graph != Py_None && !is_true(GET(graph, Graph, symbolic))) {
        PyObject *mark = PyLong_FromSsize_t(PyList_GET_SIZE(GET(graph, Graph, nodes)));
        if (!mark)
            return -1;
        SET(graph, Graph, cut_point, mark);
        Py_DECREF(mark);
    }
    return 0;
}

static int are_variables(PyObject *list)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++)
        if (!PyType_IsSubtype(Py_TYPE(PyList_GET_ITEM(list, i)), (PyTypeObject *)of_ResourceVariable))
            return 0;
    return 1;
}

/* _exchange(variables, present, nodes) */
PyObject *compiled_exchange(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[2]) ||
        (args[1] != Py_None && !PyList_CheckExact(args[1])))
        return NULL;
    Py_ssize_t many = PyList_GET_SIZE(args[0]);
    if (PyTuple_GET_SIZE(args[2]) != many || (args[1] != Py_None && PyList_GET_SIZE(args[1]) != many))
        return NULL;
    PyObject **present = args[1] == Py_None ? NULL : ((PyListObject *)args[1])->ob_item;
    int done = exchange(((PyListObject *)args[0])->ob_item, present, ((PyTupleObject *)args[2])->ob_item, many);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

/* Whether Python assigns `node`: the program is to leave a large variable as it is if a condition is broken. */
static int is_kept_if_broken(PyObject *context, PyObject *node)
{
    return GET(GET(context, Context, graph), Graph, report) != Py_None && is_true(GET(GET(node, Node, aval), Aval, large));
}

/* take_each(variables, nodes, present, cut), where no tape may have seen the nodes. */
PyObject *compiled_take_each(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *context = context_now();
    if (!context || count < 3 || count > 4 || names || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) ||
        !is_list_of_nodes(args[2]) || (count == 4 && !PyBool_Check(args[3])) ||
        PyTuple_GET_SIZE(GET(context, Context, watchers)) || is_true(GET(GET(context, Context, graph), Graph, symbolic)))
        return NULL;
    Py_ssize_t many = PyList_GET_SIZE(args[0]);
    if (PyTuple_GET_SIZE(args[1]) != many || PyList_GET_SIZE(args[2]) != many || !are_variables(args[0]) ||
        !are_nodes(args[1]))
        return NULL;
    PyObject **variables = ((PyListObject *)args[0])->ob_item, **nodes = ((PyTupleObject *)args[1])->ob_item;
    PyObject **present = ((PyListObject *)args[2])->ob_item;
    for (Py_ssize_t i = 0; i < many; i++)
        if (is_kept_if_broken(context, nodes[i]))
            return NULL;
    for (Py_ssize_t i = 0; i < many; i++)
        if (about_to_assign(context, variables[i], present[i], count < 4 || is_true(args[3])) < 0)
            return NULL;
    int done = exchange(variables, present, nodes, many);
    for (Py_ssize_t i = 0; done > 0 && i < many; i++)
        if (assigned(context, variables[i], present[i], nodes[i]) < 0)
            done = -1;
    return done < 0 ? NULL : PyBool_FromLong(done);
}

/* Records what `operation` makes of a value, or of the present value and that one if they are `combined`, and assigns
   it: 1; 0 where that is left to Python, -1 with an error, CHANGED where another thread has assigned the variable since
   it was read. No tape is told. A loop may be `cut` before. */
enum { CHANGED = 2 };

static int assign_result(PyObject *context, PyObject *variable, PyObject *value, PyObject *operation, int combined,
                         int cut)
{
    PyObject *present = PyObject_GetAttr(variable, name_node), *node = GET(value, EagerTensor, _node), *result = NULL;
    int done = -1;
    if (!present)
        return -1;
    if (!node || !IS(present, Node) || !IS(node, Node) || GET(node, Node, aval) != GET(present, Node, aval) ||
        is_true(GET(GET(node, Node, aval), Aval, host)) || is_kept_if_broken(context, node)) {
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
    Py_INCREF(call);
    result = recorded_untold(context, call, inputs);
    Py_DECREF(call);
    Py_DECREF(inputs);
    if (result && !IS(result, Node))
        PyErr_SetString(PyExc_TypeError, "an assignment has one result");
    else if (result && about_to_assign(context, variable, present, cut) == 0) {
        done = exchange(&variable, combined ? &present : NULL, &result, 1);
        if (done > 0 && assigned(context, variable, present, result) < 0)
            done = -1;
        else if (done == 0)
            done = CHANGED;
    }
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
    int done = assign_result(context, variable, values[1], operation, combined, 1);
    while (done == CHANGED) /* to cut a loop is to wait, in which time others assign the variable again */
        done = assign_result(context, variable, values[1], operation, combined, 0);
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
    PyTypeObject *kind = (PyTypeObject *)of_UnreadVariable;
    PyObject *result = kind->tp_alloc(kind, 0);
    if (result)
        SET(result, UnreadVariable, _variable, variable);
    return result;
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

/* ---- variables of replicas --------------------------------------------------------------------------------------- */

PyObject *applied(PyObject *context, PyObject *operation, PyObject *attributes, PyObject *node)
{
    PyObject *call = call_for(GET(operation, Operation, calls), attributes, &node, 1);
    PyObject *inputs = call ? PyTuple_Pack(1, node) : NULL, *result = NULL;
    if (inputs) {
        Py_INCREF(call);
        result = recorded_untold(context, call, inputs);
        Py_DECREF(call);
        Py_DECREF(inputs);
    }
    return result;
}

/* `Gathering._begin`; -1 with an error. */
static int begin_piece(PyObject *gathering, PyObject *graph, Py_ssize_t key)
{
    PyObject *start = PyLong_FromSsize_t(PyList_GET_SIZE(GET(graph, Graph, nodes))), *number = PyLong_FromSsize_t(key);
    int failed = !start || !number || PyList_Append(GET(gathering, Gathering, _starts), start) < 0 ||
                 PyList_Append(GET(gathering, Gathering, _keys), number) < 0;
    Py_XDECREF(start);
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

/* `Gathering._meet_first` of a sum: the meeting, borrowed. NULL without an error where Python has to make it. */
static PyObject *meet_first(PyObject *context, PyObject *gathering, PyObject *kind, PyObject *node)
{
    Py_ssize_t count = PyLong_AsSsize_t(GET(gathering, Gathering, _count));
    PyObject *graph = GET(context, Context, graph), *meetings = GET(gathering, Gathering, _meetings);
    PyObject *inputs = PyTuple_New(count), *call = NULL, *sum = NULL, *meeting = NULL;
    for (Py_ssize_t i = 0; inputs && i < count; i++)
        PyTuple_SET_ITEM(inputs, i, Py_NewRef(node));
    if (inputs)
        call = Py_XNewRef(call_for(GET(of_SUM, Operation, calls), GET(gathering, Gathering, attributes),
                                   ((PyTupleObject *)inputs)->ob_item, count));
    if (call && begin_piece(gathering, graph, 2 * PyList_GET_SIZE(meetings) + 1) == 0 &&
        (sum = recorded_untold(context, call, inputs))) {
        PyTypeObject *kind_of_meeting = (PyTypeObject *)of_Meeting;
        PyObject *tensor = tensor_of(sum), *values = PyList_New(0);
        PyObject *collectives = PyList_New(1), *results = PyList_New(1);
        if (tensor && values && collectives && results && (meeting = kind_of_meeting->tp_alloc(kind_of_meeting, 0))) {
            PyList_SET_ITEM(collectives, 0, Py_NewRef(sum));
            PyList_SET_ITEM(results, 0, Py_NewRef(tensor));
            SET(meeting, Meeting, kind, kind);
            SET(meeting, Meeting, values, values);
            SET(meeting, Meeting, collectives, collectives);
            SET(meeting, Meeting, results, results);
            int failed = PyList_Append(meetings, meeting);
            Py_DECREF(meeting); /* the list has it */
            if (failed < 0)
                meeting = NULL;
        }
        Py_XDECREF(tensor);
        Py_XDECREF(values);
        Py_XDECREF(collectives);
        Py_XDECREF(results);
        Py_DECREF(sum);
    }
    Py_XDECREF(inputs);
    Py_XDECREF(call);
    return meeting;
}

/* Gives the only collective of a meeting the values of all replicas; -1 with an error. */
static int fill(PyObject *meeting, PyObject *values)
{
    PyObject *collectives = GET(meeting, Meeting, collectives);
    Py_ssize_t count = PyList_GET_SIZE(values);
    PyObject *inputs = PyTuple_New(count);
    for (Py_ssize_t i = 0; inputs && i < count; i++)
        PyTuple_SET_ITEM(inputs, i, Py_NewRef(PyTuple_GET_ITEM(PyList_GET_ITEM(values, i), 0)));
    if (!inputs)
        return -1;
    SET(PyList_GET_ITEM(collectives, 0), Node, inputs, inputs);
    Py_DECREF(inputs);
    return 0;
}

/* `Gathering.join` of the sum of one tensor: it, borrowed. NULL without an error where that is left to Python. */
static PyObject *join(PyObject *context, PyObject *gathering, PyObject *kind, PyObject *node)
{
    Py_ssize_t number = PyLong_AsSsize_t(GET(gathering, Gathering, running));
    PyObject *reached = GET(gathering, Gathering, reached), *meetings = GET(gathering, Gathering, _meetings);
    Py_ssize_t place = PyLong_AsSsize_t(PyList_GET_ITEM(reached, number));
    PyObject *meeting = NULL;
    if (place < PyList_GET_SIZE(meetings)) {
        meeting = PyList_GET_ITEM(meetings, place);
        PyObject *values = GET(meeting, Meeting, values);
        PyObject *first = PyList_GET_SIZE(values) ? PyList_GET_ITEM(values, 0) : NULL;
        if (!first || PyTuple_GET_SIZE(first) != 1 || PyList_GET_SIZE(GET(meeting, Meeting, collectives)) != 1 ||
            GET(PyTuple_GET_ITEM(first, 0), Node, aval) != GET(node, Node, aval) ||
            PyObject_RichCompareBool(GET(meeting, Meeting, kind), kind, Py_EQ) != 1)
            return NULL;
    } else if (number || !(meeting = meet_first(context, gathering, kind, node))) {
        return NULL;
    }
    PyObject *values = GET(meeting, Meeting, values), *own = PyTuple_Pack(1, node);
    PyObject *next = PyLong_FromSsize_t(place + 1);
    int failed = !own || !next || PyList_Append(values, own) < 0 ||
                 PyList_SetItem(reached, number, Py_XNewRef(next)) < 0 ||
                 begin_piece(gathering, GET(context, Context, graph), 2 * place + 2) < 0;
    Py_XDECREF(own);
    Py_XDECREF(next);
    if (!failed && PyList_GET_SIZE(values) == PyLong_AsSsize_t(GET(gathering, Gathering, _count)))
        failed = fill(meeting, values) < 0;
    return failed ? NULL : PyList_GET_ITEM(GET(meeting, Meeting, results), 0);
}

/* Whether a call that assigns is known, of nodes of the same aval. */
static int is_known(PyObject *operation, int combined, PyObject *present, PyObject *node)
{
    PyObject *nodes[2] = {combined ? present : node, node};
    return GET(node, Node, aval) == GET(present, Node, aval) && operation && IS(operation, Operation) &&
           call_for(GET(operation, Operation, calls), of_no_attributes, nodes, combined ? 2 : 1);
}

/* `MirroredVariable.assign`, `assign_add` and `assign_sub` in the function of a replica, by a sum at which no replica
   stops. */
static PyObject *update_of_replica(const char *method, PyObject *operation, int combined, PyObject *const *args,
                                   Py_ssize_t count, PyObject *names)
{
    static const char *const assign_parameters[] = {"self", "value", "use_locking", "name", "read_value"};
    static const char *const add_parameters[] = {"self", "delta", "use_locking", "name", "read_value"};
    PyObject *values[5] = {NULL, NULL, NULL, NULL, Py_True}, *context = context_now();
    if (!context || !bind_arguments(args, count, names, combined ? add_parameters : assign_parameters, 5, 2, values))
        return NULL;
    PyObject *variable = values[0], *graph = GET(context, Context, graph), *number = GET(context, Context, replica);
    PyObject *gathering = GET(graph, Graph, gathering), *part;
    if (!of_Gathering || !IS(gathering, Gathering) || !IS(variable, MirroredVariable) || !IS(values[1], EagerTensor) ||
        !is_true(GET(gathering, Gathering, goes_on)) || is_true(GET(graph, Graph, symbolic)) ||
        !PyList_CheckExact(GET(graph, Graph, nodes)) ||
        PyList_GET_SIZE(GET(graph, Graph, nodes)) >= policy_number(of_recording_policy, name_max_pending) ||
        GET(graph, Graph, report) != Py_None || GET(gathering, Gathering, reports) != Py_None ||
        !PyLong_CheckExact(number) || !(part = part_here(variable)) || values[4] != Py_True)
        return NULL;
    PyObject *node = GET(values[1], EagerTensor, _node), *present = NULL, *owner = NULL, *sums = NULL, *kind = NULL;
    PyObject *watchers = NULL, *result = NULL;
    PyObject *sum, *mark = PyTuple_GET_ITEM(GET(gathering, Gathering, marks), PyLong_AsSsize_t(number));
    if (!node || !IS(node, Node) || PyLong_AsSsize_t(number) != PyLong_AsSsize_t(GET(gathering, Gathering, running)))
        return NULL;
    owner = PyObject_GetAttr(variable, name_strategy);
    sums = owner ? PyObject_GetAttr(variable, name_sums) : NULL;
    present = sums ? PyObject_GetAttr(part, name_node) : NULL;
    int known = present && IS(present, Node) && is_known(operation, combined, present, node) &&
                call_for(GET(of_READ, Operation, calls), of_no_attributes, &present, 1) &&
                call_for(GET(of_MARK, Operation, calls), mark, &present, 1);
    if (!known || sums != Py_True || owner != GET(gathering, Gathering, owner) ||
        is_true(GET(GET(node, Node, aval), Aval, host)) || is_true(GET(GET(node, Node, aval), Aval, traced)))
        goto end;
    PyObject *address = PyLong_FromVoidPtr(variable);
    kind = address ? Py_BuildValue("(sN)", method, address) : NULL;
    if (!kind)
        goto end;
    watchers = Py_NewRef(GET(context, Context, watchers));
    SET(context, Context, watchers, nothing());
    sum = join(context, gathering, kind, node);
    if (sum) {
        int done = assign_result(context, part, sum, operation, combined, 0);
        while (done == CHANGED)
            done = assign_result(context, part, sum, operation, combined, 0);
        if (!done) /* it was known, see above */
            PyErr_SetString(PyExc_SystemError, "an assignment is not known");
    }
    if (sum && !PyErr_Occurred()) {
        PyObject *updated = PyObject_GetAttr(part, name_node);
        PyObject *marked = updated ? applied(context, of_MARK, mark, updated) : NULL;
        Py_XDECREF(updated);
        if (marked && PyObject_SetAttr(part, name_node, marked) == 0) {
            PyObject *read = applied(context, of_READ, of_no_attributes, marked);
            if (read) {
                result = tensor_of(read);
                Py_DECREF(read);
            }
        }
        Py_XDECREF(marked);
        if (!result && !PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "a mark is not known");
    }
    SET(context, Context, watchers, watchers);
end:
    Py_XDECREF(watchers);
    Py_XDECREF(kind);
    Py_XDECREF(present);
    Py_XDECREF(sums);
    Py_XDECREF(owner);
    return result;
}

PyObject *compiled_assign_in_replica(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return update_of_replica("assign", of_assign_operation, 0, args, count, names);
}

PyObject *compiled_assign_add_in_replica(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return update_of_replica("assign_add", of_add_operation, 1, args, count, names);
}

PyObject *compiled_assign_sub_in_replica(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return update_of_replica("assign_sub", of_subtract_operation, 1, args, count, names);
}
