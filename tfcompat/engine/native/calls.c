/* Calls of ops that were made before. See `_known_calls.py`, whose tables they use, and whose functions do what is not
   known. */
#include "native.h"
#include <structmember.h>


/* The node of a variable, with which active tapes are told that it was read; NULL without an error where Python is to
   do that. */
static PyObject *node_of_variable(PyObject *variable)
{
    PyObject *here = here_now();
    if (!here)
        return NULL;
    if (is_true(GET(GET(here, Here, graph), Graph, symbolic)))
        return PyObject_CallMethodNoArgs(variable, name_as_node);
    PyObject *node = PyObject_GetAttr(variable, name_node);
    if (!node)
        return NULL;
    if (!IS(node, Node)) {
        Py_DECREF(node);
        return PyObject_CallMethodNoArgs(variable, name_as_node);
    }
    PyObject *watchers = GET(here, Here, watchers);
    if (PyTuple_GET_SIZE(watchers)) {
        Py_INCREF(watchers);
        if (tell_of_read(watchers, variable, node) < 0)
            Py_CLEAR(node);
        Py_DECREF(watchers);
    }
    return node;
}

int is_tensor(PyObject *argument) { return IS(argument, EagerTensor) || IS(argument, SymbolicTensor); }

PyObject *node_of(PyObject *argument)
{
    if (is_tensor(argument)) {
        PyObject *node = GET(argument, EagerTensor, _node);
        if (!node || !IS(node, Node)) /* a placeholder of JAX's */
            return NULL;
        Py_INCREF(node);
        return node;
    }
    return IS(argument, ResourceVariable) ? node_of_variable(argument) : NULL;
}

int is_number(PyObject *argument) { return PyFloat_CheckExact(argument) || PyLong_CheckExact(argument); }

PyObject *number_key(PyObject *number)
{
    int zero = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) == 0.0 : !PyObject_IsTrue(number);
    if (zero)
        return PyObject_Str(number);
    Py_INCREF(number);
    return number;
}

PyObject *call_for(PyObject *calls, PyObject *attributes, PyObject *const *nodes, Py_ssize_t count)
{
    PyObject *key = PyTuple_New(count + 1);
    if (!key)
        return NULL;
    Py_INCREF(attributes);
    PyTuple_SET_ITEM(key, 0, attributes);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *aval = GET(nodes[i], Node, aval);
        Py_INCREF(aval);
        PyTuple_SET_ITEM(key, i + 1, aval);
    }
    PyObject *call = PyDict_GetItemWithError(calls, key);
    Py_DECREF(key);
    return call && IS(call, Call) ? call : NULL;
}

int runs_on_host(PyObject *call, PyObject *node)
{
    return is_true(GET(call, Call, host)) && IS(GET(node, Node, value), ndarray);
}

/* ---------------------------------------------------------------------------------------------------------------- */

PyObject *recent_call(Recent *recent, PyObject *calls, PyObject *attributes, PyObject *const *nodes, Py_ssize_t count)
{
    PyObject *first = GET(nodes[0], Node, aval), *second = count == 2 ? GET(nodes[1], Node, aval) : NULL;
    Recent *at = &recent[((size_t)first >> 5 ^ (size_t)second >> 6) & (recent_calls - 1)];
    if (at->attributes == attributes && at->avals[0] == first && at->avals[1] == second &&
        at->size == PyDict_GET_SIZE(calls))
        return at->call;
    PyObject *call = call_for(calls, attributes, nodes, count);
    if (call) {
        Py_XDECREF(at->call);
        *at = (Recent){attributes, {first, second}, Py_NewRef(call), PyDict_GET_SIZE(calls)};
    }
    return call;
}

void forget(Recent *recent)
{
    for (int i = 0; i < ROOM_FOR_RECENT; i++)
        Py_CLEAR(recent[i].call);
}

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Py_ssize_t arity;
    PyObject *names, *calls, *plain, *attributes, *numbers, *slowly;
    int on_host, of_list;
    Recent recent[ROOM_FOR_RECENT];
} KnownCall;

/* Appends a static argument as given to a key, as `static_key` does: 1, 0 if that is not quickly done, or -1. */
static int add_static(PyObject **key, Py_ssize_t *length, PyObject *name, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (*length + 3 > max_static)
        return 0;
    if (type == &PyTuple_Type || type == &PyList_Type) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++)
            if (!PyLong_CheckExact(PySequence_Fast_GET_ITEM(value, i)))
                return 0;
        value = type == &PyList_Type ? PyList_AsTuple(value) : (Py_INCREF(value), value);
        if (!value)
            return -1;
    } else if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || type == &PyUnicode_Type ||
               value == Py_None || IS(value, DType)) {
        Py_INCREF(value);
    } else {
        return 0;
    }
    if (name) {
        Py_INCREF(name);
        key[(*length)++] = name;
    }
    Py_INCREF(type);
    key[(*length)++] = (PyObject *)type;
    key[(*length)++] = value;
    return 1;
}

/* The attributes of a call with static arguments, borrowed: `args` from the place `first` on, and those of `kwargs`
   that are not taken. NULL where they are not known. */
static PyObject *known_attributes(KnownCall *self, PyObject *args, Py_ssize_t first, PyObject *kwargs,
                                  PyObject *const *taken, Py_ssize_t count_taken, PyObject *length_of_list)
{
    PyObject *parts[ROOM_FOR_STATIC], *found = NULL, *name, *value;
    Py_ssize_t length = 0, position = 0;
    int good = 1;
    for (Py_ssize_t i = first; good > 0 && i < PyTuple_GET_SIZE(args); i++)
        good = add_static(parts, &length, NULL, PyTuple_GET_ITEM(args, i));
    while (good > 0 && PyDict_Next(kwargs, &position, &name, &value)) {
        int is_taken = 0;
        for (Py_ssize_t i = 0; i < count_taken; i++)
            is_taken |= taken[i] == name;
        if (!is_taken)
            good = add_static(parts, &length, name, value);
    }
    if (good > 0) {
        PyObject *key = PyTuple_New(length);
        for (Py_ssize_t i = 0; key && i < length; i++) {
            Py_INCREF(parts[i]);
            PyTuple_SET_ITEM(key, i, parts[i]);
        }
        if (key && length_of_list) {
            PyObject *both = PyTuple_Pack(2, length_of_list, key);
            Py_DECREF(key);
            key = both;
        }
        if (key)
            found = PyDict_GetItemWithError(self->attributes, key);
        Py_XDECREF(key);
    }
    for (Py_ssize_t i = 0; i < length; i++)
        Py_DECREF(parts[i]);
    return found;
}

static PyObject *slowly(KnownCall *self, PyObject *args, PyObject *kwargs)
{
    return PyErr_Occurred() ? NULL : PyObject_Call(self->slowly, args, kwargs);
}

/* The call of numbers and tensors, borrowed; numbers get their nodes. NULL where it is not known. */
static PyObject *call_with_numbers(KnownCall *self, PyObject *attributes, PyObject *const *given, PyObject **nodes)
{
    PyObject *key = PyTuple_New(1 + 2 * self->arity);
    Py_ssize_t length = 1;
    if (!key)
        return NULL;
    Py_INCREF(attributes);
    PyTuple_SET_ITEM(key, 0, attributes);
    for (Py_ssize_t i = 0; i < self->arity; i++) {
        PyObject *part = nodes[i] ? GET(nodes[i], Node, aval) : (PyObject *)Py_TYPE(given[i]);
        Py_INCREF(part);
        PyTuple_SET_ITEM(key, length++, part);
        if (!nodes[i]) {
            part = number_key(given[i]);
            if (!part) {
                Py_DECREF(key);
                return NULL;
            }
            PyTuple_SET_ITEM(key, length++, part);
        }
    }
    if (_PyTuple_Resize(&key, length) < 0)
        return NULL;
    PyObject *entry = PyDict_GetItemWithError(self->numbers, key), *call = NULL;
    Py_DECREF(key);
    if (!entry || !PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 2)
        return NULL;
    PyObject *fill = PyTuple_GET_ITEM(entry, 1);
    if (!PyList_CheckExact(fill) || PyList_GET_SIZE(fill) != self->arity)
        return NULL;
    call = PyTuple_GET_ITEM(entry, 0);
    for (Py_ssize_t i = 0; i < self->arity; i++) {
        if (!nodes[i]) {
            nodes[i] = PyList_GET_ITEM(fill, i);
            Py_INCREF(nodes[i]);
        }
    }
    return IS(call, Call) ? call : NULL;
}

static PyObject *call_of_list(KnownCall *self, PyObject *args, PyObject *kwargs)
{
    PyObject *values = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (!values || !(PyList_CheckExact(values) || PyTuple_CheckExact(values)))
        return slowly(self, args, kwargs);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(values);
    PyObject *length = PyLong_FromSsize_t(count);
    if (!length)
        return NULL;
    PyObject *attributes = known_attributes(self, args, 1, kwargs, NULL, 0, length);
    Py_DECREF(length);
    if (!attributes || !count)
        return slowly(self, args, kwargs);
    PyObject *nodes = PyTuple_New(count);
    if (!nodes)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = PySequence_Fast_GET_ITEM(values, i);
        PyObject *node = IS(value, EagerTensor) ? node_of(value) : NULL;
        if (!node) {
            Py_DECREF(nodes);
            return slowly(self, args, kwargs);
        }
        PyTuple_SET_ITEM(nodes, i, node);
    }
    PyObject *call = call_for(self->calls, attributes, ((PyTupleObject *)nodes)->ob_item, count), *result;
    if (!call || (self->on_host && runs_on_host(call, PyTuple_GET_ITEM(nodes, 0))))
        result = slowly(self, args, kwargs);
    else
        result = tensors_of(recorded(call, nodes));
    Py_DECREF(nodes);
    return result;
}

static PyObject *call_known(KnownCall *self, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t arity = self->arity, count = PyTuple_GET_SIZE(args), count_taken = 0;
    PyObject *given[MOST_TENSORS], *nodes[MOST_TENSORS], *taken[MOST_TENSORS], *attributes, *inputs, *call;
    if (debugging)
        return slowly(self, args, kwargs);
    if (self->of_list)
        return call_of_list(self, args, kwargs);
    nodes[0] = NULL;
    for (Py_ssize_t i = 0; i < arity; i++) {
        if (i < count) {
            given[i] = PyTuple_GET_ITEM(args, i);
        } else {
            taken[count_taken] = PyTuple_GET_ITEM(self->names, i);
            given[i] = PyDict_GetItemWithError(kwargs, taken[count_taken++]);
            if (!given[i])
                return slowly(self, args, kwargs);
        }
    }
    if (count <= arity && PyDict_GET_SIZE(kwargs) == count_taken)
        attributes = self->plain == Py_None ? NULL : self->plain;
    else
        attributes = known_attributes(self, args, arity, kwargs, taken, count_taken, NULL);
    if (!attributes)
        return slowly(self, args, kwargs);
    Py_ssize_t numbers = 0, done = 0;
    for (; done < arity; done++) {
        nodes[done] = node_of(given[done]);
        if (!nodes[done]) {
            if (PyErr_Occurred() || !is_number(given[done]))
                goto not_known;
            numbers++;
        }
    }
    if (numbers == arity)
        goto not_known;
    call = numbers ? call_with_numbers(self, attributes, given, nodes)
         : arity <= 2 ? recent_call(self->recent, self->calls, attributes, nodes, arity)
                   : call_for(self->calls, attributes, nodes, arity);
    if (!call || (self->on_host && runs_on_host(call, nodes[0])))
        goto not_known;
    inputs = PyTuple_New(arity);
    if (!inputs)
        goto not_known;
    for (Py_ssize_t i = 0; i < arity; i++)
        PyTuple_SET_ITEM(inputs, i, nodes[i]);
    PyObject *result = tensors_of(recorded(call, inputs));
    Py_DECREF(inputs);
    return result;
not_known:
    for (Py_ssize_t i = 0; i < done; i++)
        Py_XDECREF(nodes[i]);
    return slowly(self, args, kwargs);
}

static PyObject *vectorcall_known(PyObject *self, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    if (PyVectorcall_NARGS(flags) != 2 || kwnames || !PyTuple_CheckExact(args[0]) || !PyDict_CheckExact(args[1]))
        return PyErr_Format(PyExc_TypeError, "a tuple and a dict of arguments were expected");
    return call_known((KnownCall *)self, args[0], args[1]);
}

static PyObject *new_known(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t arity;
    PyObject *names, *calls, *plain, *attributes, *numbers, *function;
    int on_host, of_list;
    if (!PyArg_ParseTuple(args, "nO!O!OO!O!ppO", &arity, &PyTuple_Type, &names, &PyDict_Type, &calls, &plain,
                          &PyDict_Type, &attributes, &PyDict_Type, &numbers, &on_host, &of_list, &function))
        return NULL;
    if (arity < 0 || arity > MOST_TENSORS || (!of_list && (arity < 1 || PyTuple_GET_SIZE(names) < arity)))
        return PyErr_Format(PyExc_ValueError, "an arity of 1 to %d was expected, got %zd", MOST_TENSORS, arity);
    KnownCall *self = (KnownCall *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = vectorcall_known;
    self->arity = arity;
    self->on_host = on_host;
    self->of_list = of_list;
    self->names = Py_NewRef(names);
    self->calls = Py_NewRef(calls);
    self->plain = Py_NewRef(plain);
    self->attributes = Py_NewRef(attributes);
    self->numbers = Py_NewRef(numbers);
    self->slowly = Py_NewRef(function);
    return (PyObject *)self;
}

static void free_known(KnownCall *self)
{
    Py_XDECREF(self->names);
    Py_XDECREF(self->calls);
    Py_XDECREF(self->plain);
    Py_XDECREF(self->attributes);
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->slowly);
    forget(self->recent);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject KnownCall_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat.engine._native.KnownCall",
    .tp_doc = "KnownCall(arity, names, calls, plain, attributes, numbers, on_host, of_list, slowly): an op, called "
              "with a tuple and a dict of arguments.",
    .tp_basicsize = sizeof(KnownCall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(KnownCall, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = new_known,
    .tp_dealloc = (destructor)free_known,
};
