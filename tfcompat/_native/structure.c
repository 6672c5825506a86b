/* Twins of `engine/_structure.py`: which of some nodes are the same, and who holds them. */
#include "native.h"

typedef struct {
    PyObject_HEAD
    Py_ssize_t count, different;
    Py_ssize_t *numbers; /* of the node at each place; the different ones are numbered as they come */
} Wiring;

static PyObject *new_wiring(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *numbers;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &numbers))
        return NULL;
    Wiring *self = (Wiring *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->count = PyTuple_GET_SIZE(numbers);
    self->numbers = PyMem_New(Py_ssize_t, self->count + 1);
    if (!self->numbers) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < self->count; i++) {
        Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GET_ITEM(numbers, i));
        if (number < 0 || number > self->different) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_ValueError, "nodes are numbered as they come, got %zd", number);
            Py_DECREF(self);
            return NULL;
        }
        self->different += number == self->different;
        self->numbers[i] = number;
    }
    return (PyObject *)self;
}

static void free_wiring(Wiring *self)
{
    PyMem_Free(self->numbers);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyObject *match_wiring(PyObject *wiring, PyObject *nodes)
{
    Wiring *self = (Wiring *)wiring;
    if (!PyTuple_CheckExact(nodes) || PyTuple_GET_SIZE(nodes) != self->count)
        return PyErr_Format(PyExc_TypeError, "match() takes a tuple of %zd nodes", self->count);
    PyObject *first = PyTuple_New(self->different);
    Py_ssize_t next = 0;
    if (!first)
        return NULL;
    for (Py_ssize_t i = 0; i < self->count; i++) {
        PyObject *node = PyTuple_GET_ITEM(nodes, i);
        Py_ssize_t number = self->numbers[i];
        if (number == next) {
            PyTuple_SET_ITEM(first, next++, Py_NewRef(node));
        } else if (PyTuple_GET_ITEM(first, number) != node) {
            Py_DECREF(first);
            Py_RETURN_NONE;
        }
    }
    return first;
}

static PyMethodDef methods_of_wiring[] = {
    {"match", match_wiring, METH_O, "The nodes of a tuple by their numbers; None if others are the same."},
    {NULL, NULL, 0, NULL}};

PyTypeObject Wiring_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat._native._compiled.Wiring",
    .tp_doc = "Wiring(numbers): which places of a sequence of nodes have the same node.",
    .tp_basicsize = sizeof(Wiring),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_wiring,
    .tp_dealloc = (destructor)free_wiring,
    .tp_methods = methods_of_wiring,
};

/* inputs_of(wiring, nodes): `match` of the nodes and all their inputs, without a tuple of them. */
PyObject *compiled_inputs_of(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 2 || names || !Py_IS_TYPE(args[0], &Wiring_type) || !is_list_of_nodes(args[1]))
        return NULL;
    Wiring *wiring = (Wiring *)args[0];
    PyObject *nodes = args[1];
    Py_ssize_t many = PyList_GET_SIZE(nodes), place = many, next = 0;
    if (wiring->different < many)
        Py_RETURN_NONE;
    PyObject *inputs = PyTuple_New(wiring->different - many);
    if (!inputs)
        return NULL;
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *sources = GET(PyList_GET_ITEM(nodes, i), Node, inputs);
        for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(sources); j++) {
            PyObject *source = PyTuple_GET_ITEM(sources, j);
            if (place == wiring->count)
                goto differs;
            Py_ssize_t number = wiring->numbers[place++];
            if (number < many) {
                if (PyList_GET_ITEM(nodes, number) != source)
                    goto differs;
            } else if (number - many == next) {
                PyTuple_SET_ITEM(inputs, next++, Py_NewRef(source));
            } else if (PyTuple_GET_ITEM(inputs, number - many) != source) {
                goto differs;
            }
        }
    }
    if (place == wiring->count)
        return inputs;
differs:
    Py_DECREF(inputs);
    Py_RETURN_NONE;
}

/* seen(nodes, inputs, large): bytes of types of values and of reference counts; None if a value is not known. */
PyObject *compiled_seen(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !is_list_of_nodes(args[0]) || !PyTuple_CheckExact(args[1]) || !are_nodes(args[1]) ||
        !PyTuple_CheckExact(args[2]))
        return NULL;
    PyObject *nodes = args[0], *inputs = args[1], *large = args[2];
    Py_ssize_t many = PyList_GET_SIZE(nodes), leaves = PyTuple_GET_SIZE(inputs), many_large = PyTuple_GET_SIZE(large);
    PyObject *bytes =
        PyBytes_FromStringAndSize(NULL, (leaves + 2 * many + 2 * many_large) * sizeof(Py_ssize_t));
    if (!bytes)
        return NULL;
    Py_ssize_t *next = (Py_ssize_t *)PyBytes_AS_STRING(bytes);
    for (Py_ssize_t i = 0; i < leaves; i++) {
        PyObject *value = GET(PyTuple_GET_ITEM(inputs, i), Node, value);
        if (value == Py_None) {
            Py_DECREF(bytes);
            Py_RETURN_NONE;
        }
        *next++ = (Py_ssize_t)Py_TYPE(value);
    }
    for (Py_ssize_t i = 0; i < many; i++) {
        PyObject *node = PyList_GET_ITEM(nodes, i), *sources = GET(node, Node, inputs);
        *next++ = Py_REFCNT(node);
        *next++ = PyTuple_GET_SIZE(sources) ? Py_REFCNT(sources) : 0; /* the empty tuple is shared by all */
    }
    for (Py_ssize_t i = 0; i < many_large; i++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(large, i));
        if (place < 0 || place >= leaves) {
            Py_DECREF(bytes);
            return NULL;
        }
        PyObject *node = PyTuple_GET_ITEM(inputs, place);
        *next++ = Py_REFCNT(node);
        *next++ = Py_REFCNT(GET(node, Node, value));
    }
    return bytes;
}

/* calls_of(nodes, start, stop) */
PyObject *compiled_calls_of(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !is_list_of_nodes(args[0]) || !PyLong_CheckExact(args[1]) || !PyLong_CheckExact(args[2]))
        return NULL;
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), stop = PyLong_AsSsize_t(args[2]);
    if (start < 0 || stop < start || stop > PyList_GET_SIZE(args[0]))
        return NULL;
    PyObject *calls = PyTuple_New(stop - start);
    for (Py_ssize_t i = start; calls && i < stop; i++)
        PyTuple_SET_ITEM(calls, i - start, Py_NewRef(GET(PyList_GET_ITEM(args[0], i), Node, call)));
    return calls;
}

/* A set of objects by address: a hash table with open addressing, at most half full. */
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

/* The place of an object, or the free one for it. */
static size_t place_of(const Places *places, PyObject *object)
{
    size_t at = ((size_t)object >> 4) * 0x9E3779B1u & (places->size - 1);
    while (places->objects[at] && places->objects[at] != object)
        at = (at + 1) & (places->size - 1);
    return at;
}

int all_differ(PyObject *objects)
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

/* many_wanted(graph): how many of its nodes something else holds. */
PyObject *compiled_many_wanted(PyObject *const *args, Py_ssize_t how_many, PyObject *names)
{
    if (how_many != 1 || names || !IS(args[0], Graph) || !is_list_of_nodes(GET(args[0], Graph, nodes)))
        return NULL;
    PyObject *nodes = GET(args[0], Graph, nodes);
    Places places;
    Py_ssize_t count = PyList_GET_SIZE(nodes), wanted = 0;
    if (begin_places(&places, count) < 0)
        return NULL;
    Py_ssize_t *held = PyMem_Calloc(places.size, sizeof(Py_ssize_t)); /* references from elsewhere to each node */
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
            /* A tape's record holds the tuple of inputs, too. */
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

/* take_unwanted(graph) */
PyObject *compiled_take_unwanted(PyObject *const *args, Py_ssize_t how_many, PyObject *names)
{
    if (how_many != 1 || names || !IS(args[0], Graph) || !is_list_of_nodes(GET(args[0], Graph, nodes)))
        return NULL;
    PyObject *nodes = GET(args[0], Graph, nodes);
    Py_ssize_t cut = PyLong_AsSsize_t(GET(args[0], Graph, cut_point)), before_cut = 0, kept = 0;
    for (Py_ssize_t i = PyList_GET_SIZE(nodes) - 1; i >= 0; i--)
        /* Then what only this one was computed from is unwanted, too. */
        if (Py_REFCNT(PyList_GET_ITEM(nodes, i)) == 1 && PyList_SetItem(nodes, i, Py_NewRef(Py_None)) < 0)
            return NULL;
    Py_ssize_t count = PyList_GET_SIZE(nodes);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *node = PyList_GET_ITEM(nodes, i);
        if (node == Py_None) {
            before_cut += i < cut;
        } else {
            PyList_SET_ITEM(nodes, i, PyList_GET_ITEM(nodes, kept));
            PyList_SET_ITEM(nodes, kept++, node);
        }
    }
    PyObject *point = PyLong_FromSsize_t(cut - before_cut);
    if (!point)
        return NULL;
    SET(args[0], Graph, cut_point, point);
    Py_DECREF(point);
    if (PyList_SetSlice(nodes, kept, count, NULL) < 0)
        return NULL;
    return PyLong_FromSsize_t(count - kept);
}
