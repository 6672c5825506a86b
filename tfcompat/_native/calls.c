/* Twin of `_core/known_calls.py`: calls of ops that were made before. They share the tables of known calls, which the
   Python functions fill. */
#include "native.h"

#define MOST_TENSORS 8 /* arguments of an op without a list; calls with more are left to Python */

int is_tensor(PyObject *argument) { return IS(argument, EagerTensor) || IS(argument, SymbolicTensor); }

PyObject *node_of(PyObject *argument)
{
    if (is_tensor(argument)) {
        PyObject *node = GET(argument, EagerTensor, _node);
        if (!node || !IS(node, Node)) /* a placeholder of JAX */
            return NULL;
        Py_INCREF(node);
        return node;
    }
    argument = variable_here(argument);
    return argument ? current_node(argument) : NULL;
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

int computes_at_once(void)
{
    PyObject *context = context_now();
    if (!context)
        PyErr_Clear(); /* Python finds out */
    return !context || is_true(GET(GET(context, Context, graph), Graph, on_host));
}

/* ---------------------------------------------------------------------------------------------------------------- */

int begin_recent(RecentCalls *recent)
{
    Py_ssize_t wanted = policy_number(of_recording_policy, name_recent_calls);
    size_t count = 1;
    if (PyErr_Occurred())
        return -1;
    while (count < (size_t)wanted)
        count *= 2;
    recent->mask = count - 1;
    if ((recent->calls = PyMem_Calloc(count, sizeof(Recent))))
        return 0;
    PyErr_NoMemory();
    return -1;
}

static void end(Recent *recent)
{
    Py_XDECREF(recent->attributes);
    Py_XDECREF(recent->avals[0]);
    Py_XDECREF(recent->avals[1]);
    Py_XDECREF(recent->call);
}

void end_recent(RecentCalls *recent)
{
    for (size_t i = 0; recent->calls && i <= recent->mask; i++)
        end(&recent->calls[i]);
    PyMem_Free(recent->calls);
}

PyObject *recent_call(RecentCalls *recent, PyObject *calls, PyObject *attributes, PyObject *const *nodes,
                      Py_ssize_t count)
{
    PyObject *first = GET(nodes[0], Node, aval), *second = count == 2 ? GET(nodes[1], Node, aval) : NULL;
    Recent *at = &recent->calls[((size_t)first >> 5 ^ (size_t)second >> 6) & recent->mask];
    if (at->attributes == attributes && at->avals[0] == first && at->avals[1] == second &&
        at->size == PyDict_GET_SIZE(calls))
        return at->call;
    PyObject *call = call_for(calls, attributes, nodes, count);
    if (call) {
        Recent before = *at;
        *at = (Recent){Py_NewRef(attributes), {Py_NewRef(first), Py_XNewRef(second)}, Py_NewRef(call),
                       PyDict_GET_SIZE(calls)};
        end(&before);
    }
    return call;
}

typedef struct {
    TWIN_HEAD
    Py_ssize_t arity;
    PyObject *names, *calls, *plain, *attributes, *numbers;
    int on_host, of_list;
    RecentCalls recent;
} KnownCall;

/* `static_key` of one argument: puts its type and value into a key. 1; 0 where Python has to look, -1 with an error. */
static int put_static(PyObject *key, Py_ssize_t *place, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyTuple_Type || type == &PyList_Type) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++)
            if (!PyLong_CheckExact(PySequence_Fast_GET_ITEM(value, i)))
                return 0;
        value = type == &PyList_Type ? PyList_AsTuple(value) : Py_NewRef(value);
        if (!value)
            return -1;
    } else if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || type == &PyUnicode_Type ||
               value == Py_None || IS(value, DType)) {
        Py_INCREF(value);
    } else {
        return 0;
    }
    PyTuple_SET_ITEM(key, (*place)++, Py_NewRef((PyObject *)type));
    PyTuple_SET_ITEM(key, (*place)++, value);
    return 1;
}

/* Whether a name is one of some names; equal ones need not be one object, such as those read from a file. */
static int is_among(PyObject *const *names, Py_ssize_t count, PyObject *name)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (names[i] == name || PyUnicode_Compare(names[i], name) == 0)
            return 1;
    return 0;
}

/* The attributes of a call with static arguments, borrowed: `args` from the place `first` on, and those of `kwargs`
   that are not `taken`. NULL if the combination is new. */
static PyObject *known_attributes(KnownCall *self, PyObject *args, Py_ssize_t first, PyObject *kwargs,
                                  PyObject *const *taken, Py_ssize_t count_taken, PyObject *length_of_list)
{
    Py_ssize_t positional = PyTuple_GET_SIZE(args) > first ? PyTuple_GET_SIZE(args) - first : 0, place = 0;
    PyObject *key = PyTuple_New(2 * positional + 3 * (PyDict_GET_SIZE(kwargs) - count_taken)), *name, *value;
    PyObject *attributes = NULL;
    Py_ssize_t position = 0;
    int plain = key ? 1 : -1;
    while (plain > 0 && PyDict_Next(kwargs, &position, &name, &value))
        if (!is_among(taken, count_taken, name))
            PyTuple_SET_ITEM(key, place++, Py_NewRef(name));
    for (Py_ssize_t i = first; plain > 0 && i < PyTuple_GET_SIZE(args); i++)
        plain = put_static(key, &place, PyTuple_GET_ITEM(args, i));
    position = 0;
    while (plain > 0 && PyDict_Next(kwargs, &position, &name, &value))
        if (!is_among(taken, count_taken, name))
            plain = put_static(key, &place, value);
    if (plain > 0 && length_of_list) {
        PyObject *both = PyTuple_Pack(2, length_of_list, key);
        Py_SETREF(key, both);
    }
    if (plain > 0 && key)
        attributes = PyDict_GetItemWithError(self->attributes, key);
    Py_XDECREF(key);
    return attributes;
}

static PyObject *in_python(KnownCall *self, PyObject *args, PyObject *kwargs)
{
    return PyErr_Occurred() ? NULL : PyObject_Call(self->python, args, kwargs);
}

/* The known call of numbers and tensors, borrowed; puts the nodes of the numbers into `nodes`. NULL if it is new. */
static PyObject *call_with_numbers(KnownCall *self, PyObject *attributes, PyObject *const *arguments, PyObject **nodes)
{
    PyObject *key = PyTuple_New(1 + 2 * self->arity);
    Py_ssize_t length = 1;
    if (!key)
        return NULL;
    Py_INCREF(attributes);
    PyTuple_SET_ITEM(key, 0, attributes);
    for (Py_ssize_t i = 0; i < self->arity; i++) {
        PyObject *part = nodes[i] ? GET(nodes[i], Node, aval) : (PyObject *)Py_TYPE(arguments[i]);
        Py_INCREF(part);
        PyTuple_SET_ITEM(key, length++, part);
        if (!nodes[i]) {
            part = number_key(arguments[i]);
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
        return in_python(self, args, kwargs);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(values);
    PyObject *length = PyLong_FromSsize_t(count);
    if (!length)
        return NULL;
    PyObject *attributes = known_attributes(self, args, 1, kwargs, NULL, 0, length);
    Py_DECREF(length);
    if (!attributes || !count)
        return in_python(self, args, kwargs);
    PyObject *nodes = PyTuple_New(count);
    if (!nodes)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = PySequence_Fast_GET_ITEM(values, i);
        PyObject *node = node_of(value);
        if (!node) {
            Py_DECREF(nodes);
            return in_python(self, args, kwargs);
        }
        PyTuple_SET_ITEM(nodes, i, node);
    }
    PyObject *call = call_for(self->calls, attributes, ((PyTupleObject *)nodes)->ob_item, count), *result;
    Py_XINCREF(call);
    if (!call || computes_at_once() || (self->on_host && runs_on_host(call, PyTuple_GET_ITEM(nodes, 0))))
        result = in_python(self, args, kwargs);
    else if (tell_of_reads(PySequence_Fast_ITEMS(values), ((PyTupleObject *)nodes)->ob_item, count) < 0)
        result = NULL;
    else
        result = tensors_of(recorded(call, nodes));
    Py_XDECREF(call);
    Py_DECREF(nodes);
    return result;
}

static PyObject *call_known(KnownCall *self, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t arity = self->arity, count = PyTuple_GET_SIZE(args), count_taken = 0;
    PyObject *arguments[MOST_TENSORS], *nodes[MOST_TENSORS], *taken[MOST_TENSORS], *attributes, *inputs, *call = NULL;
    if (DEBUGGING || !(self->of_list || (arity && arity <= MOST_TENSORS)))
        return in_python(self, args, kwargs);
    if (self->of_list)
        return call_of_list(self, args, kwargs);
    nodes[0] = NULL;
    for (Py_ssize_t i = 0; i < arity; i++) {
        if (i < count) {
            arguments[i] = PyTuple_GET_ITEM(args, i);
        } else {
            taken[count_taken] = PyTuple_GET_ITEM(self->names, i);
            arguments[i] = PyDict_GetItemWithError(kwargs, taken[count_taken++]);
            if (!arguments[i])
                return in_python(self, args, kwargs);
        }
    }
    if (count <= arity && PyDict_GET_SIZE(kwargs) == count_taken)
        attributes = self->plain == Py_None ? NULL : self->plain;
    else
        attributes = known_attributes(self, args, arity, kwargs, taken, count_taken, NULL);
    if (!attributes)
        return in_python(self, args, kwargs);
    Py_ssize_t numbers = 0, done = 0;
    for (; done < arity; done++) {
        nodes[done] = node_of(arguments[done]);
        if (!nodes[done]) {
            if (PyErr_Occurred() || !is_number(arguments[done]))
                goto not_known;
            numbers++;
        }
    }
    if (numbers == arity)
        goto not_known;
    call = numbers ? call_with_numbers(self, attributes, arguments, nodes)
         : arity <= 2 ? recent_call(&self->recent, self->calls, attributes, nodes, arity)
                   : call_for(self->calls, attributes, nodes, arity);
    Py_XINCREF(call);
    if (!call || computes_at_once() || (self->on_host && runs_on_host(call, nodes[0])) ||
        tell_of_reads(arguments, nodes, arity) < 0)
        goto not_known;
    inputs = PyTuple_New(arity);
    if (!inputs)
        goto not_known;
    for (Py_ssize_t i = 0; i < arity; i++)
        PyTuple_SET_ITEM(inputs, i, nodes[i]);
    PyObject *result = tensors_of(recorded(call, inputs));
    Py_DECREF(call);
    Py_DECREF(inputs);
    return result;
not_known:
    Py_XDECREF(call);
    for (Py_ssize_t i = 0; i < done; i++)
        Py_XDECREF(nodes[i]);
    return in_python(self, args, kwargs);
}

static PyObject *vectorcall_known(PyObject *self, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    if (PyVectorcall_NARGS(flags) != 2 || kwnames || !PyTuple_CheckExact(args[0]) || !PyDict_CheckExact(args[1]))
        return PyErr_Format(PyExc_TypeError, "a tuple and a dict of arguments were expected");
    return call_known((KnownCall *)self, args[0], args[1]);
}

static PyObject *new_known(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    Py_ssize_t arity;
    PyObject *names, *calls, *plain, *attributes, *numbers, *python;
    int on_host, of_list;
    if (!PyArg_ParseTuple(args, "nO!O!OO!O!ppO", &arity, &PyTuple_Type, &names, &PyDict_Type, &calls, &plain,
                          &PyDict_Type, &attributes, &PyDict_Type, &numbers, &on_host, &of_list, &python))
        return NULL;
    if (arity < 0 || (!of_list && PyTuple_GET_SIZE(names) < arity))
        return PyErr_Format(PyExc_ValueError, "%zd names of tensors were expected", arity);
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
    self->python = Py_NewRef(python);
    if (begin_recent(&self->recent) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void free_known(KnownCall *self)
{
    Py_XDECREF(self->names);
    Py_XDECREF(self->calls);
    Py_XDECREF(self->plain);
    Py_XDECREF(self->attributes);
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->python);
    end_recent(&self->recent);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject KnownCall_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat._native._compiled.KnownCall",
    .tp_doc = "KnownCall(arity, names, calls, plain, attributes, numbers, on_host, of_list, python): an op, called "
              "with a tuple and a dict of arguments.",
    .tp_basicsize = sizeof(KnownCall),
    .tp_new = new_known,
    .tp_dealloc = (destructor)free_known,
    TWIN_TYPE,
};
