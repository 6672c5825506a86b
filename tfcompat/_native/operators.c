/* Twins of methods in `_core/operators.py`, `math/_operators.py` and `array/_operators.py`: operators and indexing of
   tensors and variables. They share the tables of known calls, which the Python functions fill. */
#include "native.h"

typedef struct {
    TWIN_HEAD
    PyObject *calls, *plain, *numbers;
    int reflected;
    RecentCalls recent;
} Operator;

/* The known call with a number, borrowed, and its inputs, new. The table has (call, node of the number); the node is
   None for a power, whose exponent is an attribute. NULL if the number is new. */
static PyObject *with_number(Operator *self, PyObject *node, PyObject *number, PyObject **inputs)
{
    PyObject *part = number_key(number), *call = NULL;
    PyObject *key = part ? PyTuple_Pack(3, GET(node, Node, aval), (PyObject *)Py_TYPE(number), part) : NULL;
    PyObject *entry = key ? PyDict_GetItemWithError(self->numbers, key) : NULL;
    Py_XDECREF(part);
    Py_XDECREF(key);
    if (!entry || !PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 2)
        return NULL;
    call = PyTuple_GET_ITEM(entry, 0);
    PyObject *other = PyTuple_GET_ITEM(entry, 1);
    if (!IS(call, Call))
        return NULL;
    if (other == Py_None)
        *inputs = PyTuple_Pack(1, node);
    else
        *inputs = self->reflected ? PyTuple_Pack(2, other, node) : PyTuple_Pack(2, node, other);
    return *inputs ? call : NULL;
}

static PyObject *call_operator(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Operator *self = (Operator *)object;
    PyObject *inputs = NULL, *call = NULL, *held = NULL, *nodes[2] = {NULL, NULL}, *result = NULL;
    if (PyVectorcall_NARGS(flags) != 2 || names || DEBUGGING)
        goto end;
    nodes[0] = node_of(args[0]);
    if (!nodes[0])
        goto end;
    if (is_number(args[1])) {
        call = with_number(self, nodes[0], args[1], &inputs);
    } else if (!self->reflected && (nodes[1] = node_of(args[1]))) {
        call = recent_call(&self->recent, self->calls, self->plain, nodes, 2);
        inputs = call ? PyTuple_Pack(2, nodes[0], nodes[1]) : NULL;
    }
    held = Py_XNewRef(call);
    if (!inputs || computes_at_once() || runs_on_host(call, PyTuple_GET_ITEM(inputs, 0)) ||
        tell_of_reads(args, nodes, nodes[1] ? 2 : 1) < 0)
        goto end;
    result = tensors_of(recorded(call, inputs));
    if (!result && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "an operator has no result");
end:
    Py_XDECREF(held);
    Py_XDECREF(nodes[0]);
    Py_XDECREF(nodes[1]);
    Py_XDECREF(inputs);
    if (result || PyErr_Occurred())
        return result;
    return PyObject_Vectorcall(self->python, args, flags, names);
}

static PyObject *new_operator(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *calls, *plain, *numbers, *python;
    int reflected;
    if (!PyArg_ParseTuple(args, "O!OO!pO", &PyDict_Type, &calls, &plain, &PyDict_Type, &numbers, &reflected, &python))
        return NULL;
    Operator *self = (Operator *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = call_operator;
    self->reflected = reflected;
    self->calls = Py_NewRef(calls);
    self->plain = Py_NewRef(plain);
    self->numbers = Py_NewRef(numbers);
    self->python = Py_NewRef(python);
    if (begin_recent(&self->recent) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void free_operator(Operator *self)
{
    Py_XDECREF(self->calls);
    Py_XDECREF(self->plain);
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->python);
    end_recent(&self->recent);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject Operator_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat._native._compiled.Operator",
    .tp_doc = "Operator(calls, plain, numbers, reflected, python): a method of tensors and variables.",
    .tp_basicsize = sizeof(Operator),
    .tp_new = new_operator,
    .tp_dealloc = (destructor)free_operator,
    TWIN_TYPE,
};

/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
    TWIN_HEAD
    PyObject *known, *calls;
} Indexing;

static int is_plain(PyObject *number) { return number == Py_None || PyLong_CheckExact(number); }

/* `_getitem._spec_of` of one entry of a key; NULL where Python has to look. */
static PyObject *entry_of(PyObject *entry)
{
    if (PyLong_CheckExact(entry) || entry == Py_None || entry == Py_Ellipsis)
        return Py_NewRef(entry);
    if (!PySlice_Check(entry))
        return NULL;
    PySliceObject *slice = (PySliceObject *)entry;
    if (!is_plain(slice->start) || !is_plain(slice->stop) || !is_plain(slice->step))
        return NULL;
    return PyTuple_Pack(3, slice->start, slice->stop, slice->step);
}

static PyObject *spec_of(PyObject *key)
{
    int several = PyTuple_CheckExact(key);
    Py_ssize_t count = several ? PyTuple_GET_SIZE(key) : 1;
    PyObject *spec = PyTuple_New(count);
    for (Py_ssize_t i = 0; spec && i < count; i++) {
        PyObject *entry = entry_of(several ? PyTuple_GET_ITEM(key, i) : key);
        if (!entry) {
            Py_CLEAR(spec);
            break;
        }
        PyTuple_SET_ITEM(spec, i, entry);
    }
    return spec;
}

/* The known call for a node and a key, borrowed, and its inputs, new. NULL if the key is new. */
static PyObject *call_of_index(Indexing *self, PyObject *node, PyObject *key, PyObject **inputs)
{
    PyObject *spec = computes_at_once() ? NULL : spec_of(key);
    if (!spec)
        return NULL;
    PyObject *entry = NULL, *whole = PyTuple_Pack(3, GET(node, Node, aval), spec, Py_False);
    if (whole)
        entry = PyDict_GetItemWithError(self->known, whole);
    Py_DECREF(spec);
    Py_XDECREF(whole);
    if (!entry || !PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 2)
        return NULL;
    PyObject *indices = PyTuple_GET_ITEM(entry, 1);
    if (!PyTuple_CheckExact(indices))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(indices) + 1;
    PyObject *nodes = PyTuple_New(count);
    if (!nodes)
        return NULL;
    PyTuple_SET_ITEM(nodes, 0, Py_NewRef(node));
    for (Py_ssize_t i = 1; i < count; i++)
        PyTuple_SET_ITEM(nodes, i, Py_NewRef(PyTuple_GET_ITEM(indices, i - 1)));
    PyObject *call = call_for(self->calls, PyTuple_GET_ITEM(entry, 0), ((PyTupleObject *)nodes)->ob_item, count);
    if (call)
        *inputs = nodes;
    else
        Py_DECREF(nodes);
    return call;
}

static PyObject *index_tensor(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Indexing *self = (Indexing *)object;
    PyObject *inputs = NULL, *call, *node, *result = NULL;
    if (PyVectorcall_NARGS(flags) == 2 && !names && !DEBUGGING && is_tensor(args[0]) && (node = node_of(args[0]))) {
        PyObject *aval = GET(node, Node, aval);
        if (!is_true(GET(aval, Aval, host)) || !IS(GET(node, Node, value), ndarray)) {
            call = Py_XNewRef(call_of_index(self, node, args[1], &inputs));
            if (call)
                result = tensors_of(recorded(call, inputs));
            Py_XDECREF(call);
            Py_XDECREF(inputs);
        }
        Py_DECREF(node);
    }
    if (result || PyErr_Occurred())
        return result;
    return PyObject_Vectorcall(self->python, args, flags, names);
}

static PyObject *new_indexing(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *known, *calls, *python;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyDict_Type, &known, &PyDict_Type, &calls, &python))
        return NULL;
    Indexing *self = (Indexing *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = index_tensor;
    self->known = Py_NewRef(known);
    self->calls = Py_NewRef(calls);
    self->python = Py_NewRef(python);
    return (PyObject *)self;
}

static void free_indexing(Indexing *self)
{
    Py_XDECREF(self->known);
    Py_XDECREF(self->calls);
    Py_XDECREF(self->python);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject Indexing_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat._native._compiled.Indexing",
    .tp_doc = "Indexing(known, calls, python): `Tensor.__getitem__`.",
    .tp_basicsize = sizeof(Indexing),
    .tp_new = new_indexing,
    .tp_dealloc = (destructor)free_indexing,
    TWIN_TYPE,
};
