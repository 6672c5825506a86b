/* Recognising what came before: which of some nodes are the same, who holds them. See `_structure.py`. */
#include "native.h"

typedef struct {
    PyObject_HEAD
    Py_ssize_t count, different;
    Py_ssize_t *numbers; /* of each node, in the order in which the different ones come */
} Wiring;

static PyObject *new_wiring(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *nodes, *known = PyDict_New();
    Wiring *self = NULL;
    if (!known || !PyArg_ParseTuple(args, "O!", &PyTuple_Type, &nodes))
        goto failed;
    self = (Wiring *)type->tp_alloc(type, 0);
    if (!self)
        goto failed;
    self->count = PyTuple_GET_SIZE(nodes);
    self->numbers = PyMem_New(Py_ssize_t, self->count + 1);
    if (!self->numbers) {
        PyErr_NoMemory();
        goto failed;
    }
    for (Py_ssize_t i = 0; i < self->count; i++) {
        PyObject *node = PyTuple_GET_ITEM(nodes, i), *number = PyDict_GetItemWithError(known, node);
        if (number) {
            self->numbers[i] = PyLong_AsSsize_t(number);
            continue;
        }
        number = PyErr_Occurred() ? NULL : PyLong_FromSsize_t(self->different);
        if (!number || PyDict_SetItem(known, node, number) < 0) {
            Py_XDECREF(number);
            goto failed;
        }
        Py_DECREF(number);
        self->numbers[i] = self->different++;
    }
    Py_DECREF(known);
    return (PyObject *)self;
failed:
    Py_XDECREF(known);
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static void free_wiring(Wiring *self)
{
    PyMem_Free(self->numbers);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Places of objects: a table of twice as many, or more, with each at the first free place from that of its address. */
typedef struct {
    PyObject *few[256], **objects;
    size_t size;
} Places;

static int begin_places(Places *places, Py_ssize_t count)
{
    places->size = 256;
    while (places->size < 2 * (size_t)count)
        places->size *= 2;
    places->objects = places->few;
    if (places->size == 256) {
        memset(places->few, 0, sizeof(places->few));
    } else if (!(places->objects = PyMem_Calloc(places->size, sizeof(PyObject *)))) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void end_places(Places *places)
{
    if (places->objects != places->few)
        PyMem_Free(places->objects);
}

/* Where an object is, or is to be put. */
static size_t place_of(const Places *places, PyObject *object)
{
    size_t at = ((size_t)object >> 4) * 0x9E3779B1u & (places->size - 1);
    while (places->objects[at] && places->objects[at] != object)
        at = (at + 1) & (places->size - 1);
    return at;
}

/* Whether all objects of a tuple are different ones; -1 with an error. */
static int all_differ(PyObject *objects)
{
    Places places;
    int differ = 1;
    if (begin_places(&places, PyTuple_GET_SIZE(objects)) < 0)
        return -1;
    for (Py_ssize_t i = 0; differ && i < PyTuple_GET_SIZE(objects); i++) {
        size_t at = place_of(&places, PyTuple_GET_ITEM(objects, i));
        differ = !places.objects[at];
        places.objects[at] = PyTuple_GET_ITEM(objects, i);
    }
    end_places(&places);
    return differ;
}

PyObject *match_wiring(PyObject *wiring, PyObject *nodes)
{
    Wiring *self = (Wiring *)wiring;
    if (!PyTuple_CheckExact(nodes) || PyTuple_GET_SIZE(nodes) != self->count)
        Py_RETURN_NONE;
    PyObject *first = PyTuple_New(self->different);
    Py_ssize_t found = 0;
    if (!first)
        return NULL;
    for (Py_ssize_t i = 0; i < self->count; i++) {
        PyObject *node = PyTuple_GET_ITEM(nodes, i);
        Py_ssize_t number = self->numbers[i];
        if (number == found) {
            PyTuple_SET_ITEM(first, found++, Py_NewRef(node));
        } else if (PyTuple_GET_ITEM(first, number) != node) {
            Py_DECREF(first);
            Py_RETURN_NONE;
        }
    }
    int differ = all_differ(first);
    if (differ > 0)
        return first;
    Py_DECREF(first);
    return differ < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods_of_wiring[] = {
    {"match", match_wiring, METH_O,
     "The different ones among a tuple of nodes, in their order; None if others are the same."},
    {NULL, NULL, 0, NULL}};

PyTypeObject Wiring_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat.engine._native.Wiring",
    .tp_doc = "Wiring(nodes): which nodes of a tuple are the same.",
    .tp_basicsize = sizeof(Wiring),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_wiring,
    .tp_dealloc = (destructor)free_wiring,
    .tp_methods = methods_of_wiring,
};

/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Py_ssize_t count, inputs, many_large;
    Py_ssize_t *references; /* where each input of each call comes from: k >= 0 from the k-th call, else input ~k */
    Py_ssize_t *large;      /* those of the inputs that are large */
} Pattern;

static Py_ssize_t *numbers_of(PyObject *sequence, Py_ssize_t *count)
{
    *count = PyTuple_GET_SIZE(sequence);
    Py_ssize_t *found = PyMem_New(Py_ssize_t, *count + 1);
    for (Py_ssize_t i = 0; found && i < *count; i++)
        found[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sequence, i));
    if (!found)
        PyErr_NoMemory();
    return found;
}

static PyObject *new_pattern(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *references, *large;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &references, &PyTuple_Type, &large))
        return NULL;
    Pattern *self = (Pattern *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->references = numbers_of(references, &self->count);
    self->large = self->references ? numbers_of(large, &self->many_large) : NULL;
    if (!self->large || PyErr_Occurred()) {
        Py_DECREF(self);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < self->count; i++)
        if (self->references[i] < 0 && ~self->references[i] >= self->inputs)
            self->inputs = ~self->references[i] + 1;
    return (PyObject *)self;
}

static void free_pattern(Pattern *self)
{
    PyMem_Free(self->references);
    PyMem_Free(self->large);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int is_list_of_nodes(PyObject *nodes)
{
    if (!PyList_Check(nodes)) {
        PyErr_SetString(PyExc_TypeError, "a list of nodes was expected");
        return 0;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i++)
        if (!is_node(PyList_GET_ITEM(nodes, i)))
            return 0;
    return 1;
}

static PyObject *match_pattern(Pattern *self, PyObject *nodes)
{
    if (!is_list_of_nodes(nodes))
        return NULL;
    Py_ssize_t many = PyList_GET_SIZE(nodes), place = 0, found = 0;
    PyObject *inputs = PyTuple_New(self->inputs);
    if (!inputs)
        return NULL;
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *sources = GET(PyList_GET_ITEM(nodes, i), Node, inputs);
        for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(sources); j++) {
            PyObject *source = PyTuple_GET_ITEM(sources, j);
            if (place == self->count)
                goto differs;
            Py_ssize_t k = self->references[place++];
            if (k >= 0) {
                if (k >= many || PyList_GET_ITEM(nodes, k) != source)
                    goto differs;
            } else if (~k == found) {
                PyTuple_SET_ITEM(inputs, found++, Py_NewRef(source));
            } else if (PyTuple_GET_ITEM(inputs, ~k) != source) {
                goto differs;
            }
        }
    }
    if (place == self->count)
        return inputs;
differs:
    Py_DECREF(inputs);
    Py_RETURN_NONE;
}

/* seen(nodes, inputs): bytes that tell kinds of values and who holds what; None where a value is not known. */
static PyObject *seen_of_pattern(Pattern *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !is_list_of_nodes(args[0]) || !PyTuple_CheckExact(args[1]) ||
        PyTuple_GET_SIZE(args[1]) != self->inputs)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "seen() takes nodes and their inputs");
    PyObject *nodes = args[0], *inputs = args[1];
    Py_ssize_t many = PyList_GET_SIZE(nodes);
    PyObject *bytes =
        PyBytes_FromStringAndSize(NULL, (self->inputs + 2 * many + 2 * self->many_large) * sizeof(Py_ssize_t));
    if (!bytes)
        return NULL;
    Py_ssize_t *next = (Py_ssize_t *)PyBytes_AS_STRING(bytes);
    for (Py_ssize_t i = 0; i < self->inputs; i++) {
        PyObject *value = is_node(PyTuple_GET_ITEM(inputs, i)) ? GET(PyTuple_GET_ITEM(inputs, i), Node, value) : NULL;
        if (!value) {
            Py_DECREF(bytes);
            return NULL;
        }
        if (value == Py_None) {
            Py_DECREF(bytes);
            Py_RETURN_NONE;
        }
        *next++ = (Py_ssize_t)Py_TYPE(value);
    }
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *node = PyList_GET_ITEM(nodes, i), *sources = GET(node, Node, inputs);
        *next++ = Py_REFCNT(node);
        *next++ = PyTuple_GET_SIZE(sources) ? Py_REFCNT(sources) : 0; /* all empty tuples are one */
    }
    for (Py_ssize_t i = 0; i < self->many_large; i++) {
        PyObject *node = PyTuple_GET_ITEM(inputs, self->large[i]);
        *next++ = Py_REFCNT(node);
        *next++ = Py_REFCNT(GET(node, Node, value));
    }
    return bytes;
}

static PyMethodDef methods_of_pattern[] = {
    {"match", (PyCFunction)match_pattern, METH_O,
     "The tuple of inputs of a list of nodes; None if they are wired in another way."},
    {"seen", (PyCFunction)(void (*)(void))seen_of_pattern, METH_FASTCALL,
     "All that decides which program computes a list of nodes from a tuple of inputs; None if an input is not known."},
    {NULL, NULL, 0, NULL}};

PyTypeObject Pattern_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat.engine._native.Pattern",
    .tp_doc = "Pattern(references, large): how the nodes of a structure are wired.",
    .tp_basicsize = sizeof(Pattern),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_pattern,
    .tp_dealloc = (destructor)free_pattern,
    .tp_methods = methods_of_pattern,
};

PyObject *native_calls_of(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !is_list_of_nodes(args[0]))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "calls_of() takes nodes, start and stop");
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), stop = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (start < 0 || stop < start || stop > PyList_GET_SIZE(args[0]))
        return PyErr_Format(PyExc_IndexError, "there are no nodes %zd to %zd", start, stop);
    PyObject *calls = PyTuple_New(stop - start);
    for (Py_ssize_t i = start; calls && i < stop; i++)
        PyTuple_SET_ITEM(calls, i - start, Py_NewRef(GET(PyList_GET_ITEM(args[0], i), Node, call)));
    return calls;
}

PyObject *native_many_wanted(PyObject *module, PyObject *nodes)
{
    if (!is_list_of_nodes(nodes))
        return NULL;
    Places places;
    Py_ssize_t count = PyList_GET_SIZE(nodes), wanted = 0;
    if (begin_places(&places, count) < 0)
        return NULL;
    Py_ssize_t *held = PyMem_Calloc(places.size, sizeof(Py_ssize_t)); /* how many others hold a node */
    if (!held) {
        end_places(&places);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *node = PyList_GET_ITEM(nodes, i), *inputs = GET(node, Node, inputs);
        size_t at = place_of(&places, node);
        places.objects[at] = node;
        held[at] += Py_REFCNT(node) - 1;
        for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(inputs); j++) {
            at = place_of(&places, PyTuple_GET_ITEM(inputs, j));
            /* A tuple that somebody else holds, too, is a tape's record. */
            if (places.objects[at])
                held[at] += Py_REFCNT(inputs) > 1 ? PY_SSIZE_T_MAX / 2 - held[at] : -1;
        }
    }
    for (size_t i = 0; i < places.size; i++)
        wanted += held[i] > 0;
    PyMem_Free(held);
    end_places(&places);
    return PyLong_FromSsize_t(wanted);
}
