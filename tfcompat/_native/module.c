/* The module `tfcompat._native._compiled`: what Python hands over to it, and what it has. See __init__.py. */
#include "native.h"
#include <structmember.h>

#define DEFINE(name) PyObject *of_##name;
HANDED_OVER(DEFINE)
#undef DEFINE
#define DEFINE(class, name) Py_ssize_t at_##class##_##name;
SLOTS(DEFINE)
#undef DEFINE
#define DEFINE(name, text) PyObject *name_##name;
NAMES(DEFINE)
#undef DEFINE

typedef struct {
    const char *name;
    PyObject **place;
} Entry;

typedef struct {
    const char *class, *name;
    PyObject **of;
    Py_ssize_t *place;
} Slot;

static const Entry entries[] = {
#define ENTRY(name) {#name, &of_##name},
    HANDED_OVER(ENTRY)
#undef ENTRY
    {NULL, NULL}};

static const Slot slots[] = {
#define ENTRY(class, name) {#class, #name, &of_##class, &at_##class##_##name},
    SLOTS(ENTRY)
#undef ENTRY
    {NULL, NULL, NULL, NULL}};

static const char *const names_of_functions[] = {
#define ENTRY(name) #name,
    FUNCTIONS(ENTRY)
#undef ENTRY
    NULL};

static PyTypeObject *const types[] = {&Twin_type,     &Node_type,   &KnownCall_type, &Operator_type,
                                      &Indexing_type, &Wiring_type, NULL};

static int find_slots(const char *class)
{
    for (const Slot *slot = slots; slot->class; slot++) {
        if (strcmp(slot->class, class))
            continue;
        PyObject *member = PyObject_GetAttrString(*slot->of, slot->name);
        if (!member)
            return -1;
        if (!Py_IS_TYPE(member, &PyMemberDescr_Type) ||
            ((PyMemberDescrObject *)member)->d_member->type != T_OBJECT_EX) {
            PyErr_Format(PyExc_TypeError, "%s.%s is no slot", class, slot->name);
            Py_DECREF(member);
            return -1;
        }
        *slot->place = ((PyMemberDescrObject *)member)->d_member->offset;
        Py_DECREF(member);
    }
    return 0;
}

/* What `EagerTensor.__buffer__` gives. NumPy forgets what is raised here, and goes on to ask for `__array__`: an
   interrupt is put off until then. */
static int buffer_of(PyObject *tensor, Py_buffer *view, int flags)
{
    view->obj = NULL;
    PyObject *memory = PyObject_CallMethod(tensor, "__buffer__", "i", flags);
    int failed = memory ? PyObject_GetBuffer(memory, view, flags) : -1;
    Py_XDECREF(memory);
    if (!memory && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_SetString(PyExc_BufferError, "interrupted");
        PyErr_SetInterrupt();
    }
    return failed;
}

static PyObject *hand_over(PyObject *Py_UNUSED(module), PyObject *args, PyObject *objects)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    if (PyTuple_GET_SIZE(args))
        return PyErr_Format(PyExc_TypeError, "register() takes keyword arguments only");
    while (objects && PyDict_Next(objects, &position, &key, &value)) {
        const char *name = PyUnicode_AsUTF8(key);
        if (!name)
            return NULL;
        const Entry *entry = entries;
        while (entry->name && strcmp(entry->name, name))
            entry++;
        if (!entry->name)
            return PyErr_Format(PyExc_TypeError, "register() knows no %s", name);
        PyObject *before = *entry->place;
        *entry->place = value;
        if (find_slots(name) < 0) {
            *entry->place = before;
            return NULL;
        }
        Py_INCREF(value);
        Py_XDECREF(before);
        if (!strcmp(name, "EagerTensor"))
            ((PyTypeObject *)value)->tp_as_buffer->bf_getbuffer = buffer_of;
    }
    Py_RETURN_NONE;
}

/* {name: tuple of the slots that C uses} of all that is to be handed over. */
static PyObject *list_expected(void)
{
    PyObject *expected = PyDict_New();
    for (const Entry *entry = entries; expected && entry->name; entry++) {
        PyObject *names = PyList_New(0);
        for (const Slot *slot = slots; names && slot->class; slot++) {
            if (strcmp(slot->class, entry->name))
                continue;
            PyObject *name = PyUnicode_FromString(slot->name);
            if (!name || PyList_Append(names, name) < 0)
                Py_CLEAR(names);
            Py_XDECREF(name);
        }
        PyObject *slots_of_class = names ? PyList_AsTuple(names) : NULL;
        if (!slots_of_class || PyDict_SetItemString(expected, entry->name, slots_of_class) < 0)
            Py_CLEAR(expected);
        Py_XDECREF(names);
        Py_XDECREF(slots_of_class);
    }
    return expected;
}

/* The names of all functions and types that stand for something in Python. */
static PyObject *list_names(void)
{
    PyObject *names = PyList_New(0);
    for (const char *const *function = names_of_functions; names && *function; function++) {
        PyObject *name = PyUnicode_FromString(*function);
        if (!name || PyList_Append(names, name) < 0)
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    for (PyTypeObject *const *type = types + 1; names && *type; type++) {
        PyObject *name = PyObject_GetAttrString((PyObject *)*type, "__name__");
        if (!name || PyList_Append(names, name) < 0)
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *list_missing(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *missing = PyList_New(0);
    for (const Entry *entry = entries; missing && entry->name; entry++) {
        if (*entry->place)
            continue;
        PyObject *name = PyUnicode_FromString(entry->name);
        if (!name || PyList_Append(missing, name) < 0)
            Py_CLEAR(missing);
        Py_XDECREF(name);
    }
    return missing;
}

static PyMethodDef functions[] = {
    {"register", (PyCFunction)(void (*)(void))hand_over, METH_VARARGS | METH_KEYWORDS,
     "Takes classes, functions and other objects, by the names in HANDED_OVER."},
    {"missing", list_missing, METH_NOARGS, "The list of names of what was not handed over."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_compiled", "Compiled twins of Python functions; see native.h.", -1, functions,
    NULL, NULL, NULL, NULL,
};

static int add(PyObject *module, const char *name, PyObject *value)
{
    int failed = !value || PyModule_AddObjectRef(module, name, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

PyMODINIT_FUNC PyInit__compiled(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyModule_AddIntConstant(module, "VERSION", NATIVE_VERSION) < 0)
        return NULL;
#define INTERN(name, text) \
    if (!(name_##name = PyUnicode_InternFromString(text))) \
        return NULL;
    NAMES(INTERN)
#undef INTERN
    for (PyTypeObject *const *type = types; *type; type++)
        if (PyModule_AddType(module, *type) < 0)
            return NULL;
    if (add(module, "HANDED_OVER", list_expected()) < 0 || add(module, "NAMES", list_names()) < 0)
        return NULL;
    return module;
}
