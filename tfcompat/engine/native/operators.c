/* Operators and indexing of tensors and variables. See `_operators.py` and `array/_getitem.py`, which they share their
   tables with, and whose functions do what is not known. */
#include "native.h"
#include <structmember.h>

/* What methods of tensors begin with. All but their call is that of the Python function: its name, its signature. */
#define METHOD_HEAD PyObject_HEAD vectorcallfunc vectorcall; PyObject *slowly;

typedef struct {
    METHOD_HEAD
} Method;

static PyObject *bound_method(PyObject *self, PyObject *instance, PyObject *owner)
{
    if (!instance || instance == Py_None)
        return Py_NewRef(self);
    return PyMethod_New(self, instance);
}

static PyObject *attribute_of_method(PyObject *self, PyObject *name)
{
    return PyObject_GetAttr(((Method *)self)->slowly, name);
}

static PyObject *text_of_method(PyObject *self) { return PyObject_Repr(((Method *)self)->slowly); }

#define METHOD_TYPE \
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, \
    .tp_vectorcall_offset = offsetof(Method, vectorcall), .tp_call = PyVectorcall_Call, .tp_descr_get = bound_method, \
    .tp_getattro = attribute_of_method, .tp_repr = text_of_method

/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
    METHOD_HEAD
    PyObject *calls, *plain, *numbers;
    int reflected;
    Recent recent[ROOM_FOR_RECENT];
} Operator;

/* Inputs of an operator with a number: (call, node of the number) is in the table; of a power the node is None. */
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

static PyObject *call_operator(PyObject *object, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    Operator *self = (Operator *)object;
    PyObject *inputs = NULL, *call = NULL, *nodes[2] = {NULL, NULL}, *result = NULL;
    if (PyVectorcall_NARGS(flags) != 2 || kwnames || debugging)
        goto end;
    nodes[0] = node_of(args[0]);
    if (!nodes[0])
        goto end;
    if (is_number(args[1])) {
        call = with_number(self, nodes[0], args[1], &inputs);
    } else if (!self->reflected && (nodes[1] = node_of(args[1]))) {
        call = recent_call(self->recent, self->calls, self->plain, nodes, 2);
        inputs = call ? PyTuple_Pack(2, nodes[0], nodes[1]) : NULL;
    }
    if (!inputs || runs_on_host(call, PyTuple_GET_ITEM(inputs, 0)))
        goto end;
    result = tensors_of(recorded(call, inputs));
    if (!result && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "an operator gave nothing");
end:
    Py_XDECREF(nodes[0]);
    Py_XDECREF(nodes[1]);
    Py_XDECREF(inputs);
    if (result || PyErr_Occurred())
        return result;
    return PyObject_Vectorcall(self->slowly, args, flags, kwnames);
}

static PyObject *new_operator(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *calls, *plain, *numbers, *function;
    int reflected;
    if (!PyArg_ParseTuple(args, "O!OO!pO", &PyDict_Type, &calls, &plain, &PyDict_Type, &numbers, &reflected, &function))
        return NULL;
    Operator *self = (Operator *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = call_operator;
    self->reflected = reflected;
    self->calls = Py_NewRef(calls);
    self->plain = Py_NewRef(plain);
    self->numbers = Py_NewRef(numbers);
    self->slowly = Py_NewRef(function);
    return (PyObject *)self;
}

static void free_operator(Operator *self)
{
    Py_XDECREF(self->calls);
    Py_XDECREF(self->plain);
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->slowly);
    forget(self->recent);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject Operator_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat.engine._native.Operator",
    .tp_doc = "Operator(calls, plain, numbers, reflected, slowly): a method of tensors and variables.",
    .tp_basicsize = sizeof(Operator),
    .tp_new = new_operator,
    .tp_dealloc = (destructor)free_operator,
    METHOD_TYPE,
};

/* ---------------------------------------------------------------------------------------------------------------- */

#define MOST_ENTRIES 8

typedef struct {
    METHOD_HEAD
    PyObject *known, *calls;
} Indexing;

static int is_plain(PyObject *number) { return number == Py_None || PyLong_CheckExact(number); }

/* An entry of a key as `_getitem._spec_of` has it; NULL where that is for Python. */
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
    PyObject *spec = count <= MOST_ENTRIES ? PyTuple_New(count) : NULL;
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

/* The call and its inputs, new, for a node and a key; NULL where they are not known. */
static PyObject *call_of_index(Indexing *self, PyObject *node, PyObject *key, PyObject **inputs)
{
    PyObject *here = here_now(), *spec = here && !is_true(GET(GET(here, Here, graph), Graph, on_host)) ? spec_of(key) : NULL;
    if (!spec)
        return NULL;
    PyObject *entry = NULL, *whole = PyTuple_Pack(3, GET(node, Node, aval), spec, Py_False);
    if (whole)
        entry = PyDict_GetItemWithError(self->known, whole);
    Py_DECREF(spec);
    Py_XDECREF(whole);
    PyObject *indices = entry && PyTuple_CheckExact(entry) && PyTuple_GET_SIZE(entry) == 2 ? PyTuple_GET_ITEM(entry, 1) : NULL;
    if (!indices || !PyTuple_CheckExact(indices))
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

static PyObject *index_tensor(PyObject *object, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    Indexing *self = (Indexing *)object;
    PyObject *inputs = NULL, *call, *node, *result = NULL;
    if (PyVectorcall_NARGS(flags) == 2 && !kwnames && !debugging && is_tensor(args[0]) && (node = node_of(args[0]))) {
        PyObject *aval = GET(node, Node, aval);
        if (!is_true(GET(aval, Aval, host)) || !IS(GET(node, Node, value), ndarray)) {
            call = call_of_index(self, node, args[1], &inputs);
            if (call)
                result = tensors_of(recorded(call, inputs));
            Py_XDECREF(inputs);
        }
        Py_DECREF(node);
    }
    if (result || PyErr_Occurred())
        return result;
    return PyObject_Vectorcall(self->slowly, args, flags, kwnames);
}

static PyObject *new_indexing(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *known, *calls, *function;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyDict_Type, &known, &PyDict_Type, &calls, &function))
        return NULL;
    Indexing *self = (Indexing *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = index_tensor;
    self->known = Py_NewRef(known);
    self->calls = Py_NewRef(calls);
    self->slowly = Py_NewRef(function);
    return (PyObject *)self;
}

static void free_indexing(Indexing *self)
{
    Py_XDECREF(self->known);
    Py_XDECREF(self->calls);
    Py_XDECREF(self->slowly);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject Indexing_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat.engine._native.Indexing",
    .tp_doc = "Indexing(known, calls, slowly): `Tensor.__getitem__`.",
    .tp_basicsize = sizeof(Indexing),
    .tp_new = new_indexing,
    .tp_dealloc = (destructor)free_indexing,
    METHOD_TYPE,
};
