/* Twin of `engine/_graph.Node`, which is made and freed for each operation. */
#include "native.h"
#include <structmember.h>

static PyObject *minus_one;

PyObject *new_node(PyObject *call, PyObject *inputs, PyObject *aval, PyObject *value, PyObject *graph)
{
    if (!minus_one && !(minus_one = PyLong_FromLong(-1)))
        return NULL;
    Node *node = PyObject_GC_New(Node, &Node_type);
    if (!node)
        return NULL;
    node->call = Py_NewRef(call);
    node->inputs = Py_NewRef(inputs);
    node->aval = Py_NewRef(aval);
    node->value = Py_NewRef(value);
    node->graph = Py_NewRef(graph);
    node->index = Py_NewRef(minus_one);
    node->copy = NULL;
    PyObject_GC_Track(node);
    return (PyObject *)node;
}

int is_list_of_nodes(PyObject *nodes)
{
    if (!PyList_Check(nodes))
        return 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i++)
        if (!IS(PyList_GET_ITEM(nodes, i), Node))
            return 0;
    return 1;
}

int are_nodes(PyObject *objects)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(objects); i++)
        if (!IS(PyTuple_GET_ITEM(objects, i), Node))
            return 0;
    return 1;
}

static int traverse(Node *self, visitproc visit, void *arg)
{
    Py_VISIT(self->call);
    Py_VISIT(self->inputs);
    Py_VISIT(self->aval);
    Py_VISIT(self->value);
    Py_VISIT(self->graph);
    Py_VISIT(self->index);
    Py_VISIT(self->copy);
    return 0;
}

static int clear(Node *self)
{
    Py_CLEAR(self->call);
    Py_CLEAR(self->inputs);
    Py_CLEAR(self->aval);
    Py_CLEAR(self->value);
    Py_CLEAR(self->graph);
    Py_CLEAR(self->index);
    Py_CLEAR(self->copy);
    return 0;
}

/* The trashcan bounds the depth of nested calls: a chain of pending nodes may be longer than C's stack allows. */
static void free_node(Node *self)
{
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, free_node)
    clear(self);
    PyObject_GC_Del(self);
    Py_TRASHCAN_END
}

static PyObject *text(PyObject *self)
{
    return of_node_text ? PyObject_CallOneArg(of_node_text, self) : PyUnicode_FromString("<Node>");
}

static PyMemberDef members[] = {
    {"call", T_OBJECT_EX, offsetof(Node, call), 0, NULL},     {"inputs", T_OBJECT_EX, offsetof(Node, inputs), 0, NULL},
    {"aval", T_OBJECT_EX, offsetof(Node, aval), 0, NULL},     {"value", T_OBJECT_EX, offsetof(Node, value), 0, NULL},
    {"graph", T_OBJECT_EX, offsetof(Node, graph), 0, NULL},   {"index", T_OBJECT_EX, offsetof(Node, index), 0, NULL},
    {"copy", T_OBJECT_EX, offsetof(Node, copy), 0, NULL},     {NULL, 0, 0, 0, NULL}};

PyTypeObject Node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat._native._compiled.Node",
    .tp_doc = "One recorded value; see `engine/_graph.Node`.",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)free_node,
    .tp_repr = text,
    .tp_members = members,
};
