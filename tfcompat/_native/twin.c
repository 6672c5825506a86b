/* What stands for a Python function: an object that calls C, and Python where C leaves the call. See __init__.py. */
#include "native.h"

#define DEFINE(name) PyObject *python_##name;
FUNCTIONS(DEFINE)
#undef DEFINE

typedef struct {
    const char *name;
    Compiled compiled;
    PyObject **python;
} Function;

static const Function functions[] = {
#define ENTRY(name) {#name, compiled_##name, &python_##name},
    FUNCTIONS(ENTRY)
#undef ENTRY
    {NULL, NULL, NULL}};

PyObject *bound_method(PyObject *self, PyObject *instance, PyObject *Py_UNUSED(owner))
{
    if (!instance || instance == Py_None)
        return Py_NewRef(self);
    return PyMethod_New(self, instance);
}

/* `python` is the Python function; all other attributes are that function's. */
PyObject *attribute_of_twin(PyObject *self, PyObject *name)
{
    PyObject *python = ((Twin *)self)->python;
    if (name == name_python)
        return Py_NewRef(python);
    return PyObject_GetAttr(python, name);
}

int set_attribute_of_twin(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(((Twin *)self)->python, name, value);
}

PyObject *text_of_twin(PyObject *self) { return PyObject_Repr(((Twin *)self)->python); }

static PyObject *call_twin(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Twin *self = (Twin *)object;
    if (!DEBUGGING) {
        PyObject *result = self->compiled(args, PyVectorcall_NARGS(flags), names);
        if (result || PyErr_Occurred())
            return result;
    }
    return PyObject_Vectorcall(self->python, args, flags, names);
}

static PyObject *new_twin(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *name;
    PyObject *python;
    if (kwargs || !PyArg_ParseTuple(args, "sO", &name, &python))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "Twin() takes a name and a function");
    for (const Function *function = functions; function->name; function++) {
        if (strcmp(function->name, name))
            continue;
        Twin *self = (Twin *)type->tp_alloc(type, 0);
        if (!self)
            return NULL;
        self->vectorcall = call_twin;
        self->python = Py_NewRef(python);
        self->compiled = function->compiled;
        Py_XSETREF(*function->python, Py_NewRef(python));
        return (PyObject *)self;
    }
    return PyErr_Format(PyExc_ValueError, "there is no compiled %s", name);
}

static void free_twin(Twin *self)
{
    Py_XDECREF(self->python);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject Twin_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tfcompat._native._compiled.Twin",
    .tp_doc = "Twin(name, python): the compiled function of this name, in place of a Python function.",
    .tp_basicsize = sizeof(Twin),
    .tp_new = new_twin,
    .tp_dealloc = (destructor)free_twin,
    TWIN_TYPE,
};

int bind_arguments(PyObject *const *args, Py_ssize_t count, PyObject *names, const char *const *parameters,
                   Py_ssize_t many, Py_ssize_t needed, PyObject **values)
{
    if (count > many)
        return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        values[i] = args[i];
    Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0, passed = count;
    for (Py_ssize_t i = 0; i < named; i++) {
        Py_ssize_t place = count;
        while (place < many && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), parameters[place]))
            place++;
        if (place == many)
            return 0;
        values[place] = args[count + i];
        passed += place < needed;
    }
    return passed >= needed;
}

Py_ssize_t policy_number(PyObject *policy, PyObject *name)
{
    PyObject *value = policy ? PyObject_GetAttr(policy, name) : NULL;
    Py_ssize_t number = value ? PyLong_AsSsize_t(value) : -1;
    Py_XDECREF(value);
    if (!policy)
        PyErr_SetString(PyExc_RuntimeError, "the policy was not handed over");
    return number;
}
