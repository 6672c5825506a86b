/* The module `tfcompat.engine._native`: what is registered, and the table of functions. */
#include "native.h"
#include <structmember.h>

#define DEFINE(name) PyObject *of_##name;
REGISTERED(DEFINE)
#undef DEFINE
#define DEFINE(class, name) Py_ssize_t at_##class##_##name;
SLOTS(DEFINE)
#undef DEFINE

int immediate, debugging;
Py_ssize_t max_static = 0, recent_calls = 1;
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

static Entry entries[] = {
#define ENTRY(name) {#name, &of_##name},
    REGISTERED(ENTRY)
#undef ENTRY
    {NULL, NULL}};

static Slot slots[] = {
#define ENTRY(class, name) {#class, #name, &of_##class, &at_##class##_##name},
    SLOTS(ENTRY)
#undef ENTRY
    {NULL, NULL, NULL, NULL}};

static int find_slots(const char *class)
{
    for (Slot *slot = slots; slot->class; slot++) {
        if (strcmp(slot->class, class))
            continue;
        PyObject *member = PyObject_GetAttrString(*slot->of, slot->name);
        if (!member)
            return -1;
        if (!Py_IS_TYPE(member, &PyMemberDescr_Type) || ((PyMemberDescrObject *)member)->d_member->type != T_OBJECT_EX) {
            PyErr_Format(PyExc_TypeError, "%s.%s is no slot", class, slot->name);
            Py_DECREF(member);
            return -1;
        }
        *slot->place = ((PyMemberDescrObject *)member)->d_member->offset;
        Py_DECREF(member);
    }
    return 0;
}

static Py_ssize_t number_of(PyObject *object, const char *name)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    Py_ssize_t number = value ? PyLong_AsSsize_t(value) : -1;
    Py_XDECREF(value);
    return number;
}

/* Reads the numbers that are sizes here. */
static int read_policy(PyObject *policy)
{
    Py_ssize_t entries = number_of(policy, "max_static"), calls = number_of(policy, "recent_calls");
    if (PyErr_Occurred())
        return -1;
    if (entries < 0 || entries > ROOM_FOR_STATIC || calls < 1 || calls > ROOM_FOR_RECENT || calls & (calls - 1)) {
        PyErr_Format(PyExc_ValueError, "max_static may be up to %d, recent_calls a power of two up to %d",
                     ROOM_FOR_STATIC, ROOM_FOR_RECENT);
        return -1;
    }
    max_static = entries;
    recent_calls = calls;
    return 0;
}

static PyObject *native_register(PyObject *module, PyObject *args, PyObject *given)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    if (PyTuple_GET_SIZE(args))
        return PyErr_Format(PyExc_TypeError, "register() takes keyword arguments only");
    while (given && PyDict_Next(given, &position, &key, &value)) {
        const char *name = PyUnicode_AsUTF8(key);
        if (!name)
            return NULL;
        Entry *entry = entries;
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
        if (entry->place == &of_recording_policy && read_policy(value) < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *native_set_immediate(PyObject *module, PyObject *value)
{
    immediate = PyObject_IsTrue(value);
    Py_RETURN_NONE;
}

static PyObject *native_set_debugging(PyObject *module, PyObject *value)
{
    debugging = PyObject_IsTrue(value);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"register", (PyCFunction)(void (*)(void))native_register, METH_VARARGS | METH_KEYWORDS,
     "Registers classes and functions, each once its module is complete."},
    {"set_immediate", native_set_immediate, METH_O, "Whether operations run as they are called, by default."},
    {"set_debugging", native_set_debugging, METH_O, "Whether everything goes through Python, which takes notes."},
    {"record", (PyCFunction)(void (*)(void))native_record, METH_FASTCALL, "See `_record.record`."},
    {"wrap", native_wrap, METH_O, "See `_tensor.wrap`."},
    {"update", (PyCFunction)(void (*)(void))native_update, METH_FASTCALL, "See `_variable.Variable`."},
    {"take_each", (PyCFunction)(void (*)(void))native_take_each, METH_FASTCALL, "See `_variable.take_each`."},
    {"plain_key", (PyCFunction)(void (*)(void))native_plain_key, METH_FASTCALL, "See `_function._plain_key`."},
    {"read", native_read, METH_O, "The list of the nodes of variables, which are read."},
    {"leaves", (PyCFunction)(void (*)(void))native_leaves, METH_FASTCALL, "See `_record._leaves`."},
    {"run_at_once", (PyCFunction)(void (*)(void))native_run_at_once, METH_FASTCALL, "See `_record.run_at_once`."},
    {"flattened", (PyCFunction)(void (*)(void))native_flattened, METH_FASTCALL, "See `_walk.flattened`."},
    {"prepare_tape", (PyCFunction)(void (*)(void))native_prepare_tape, METH_FASTCALL, "See `_record.GradientTape`."},
    {"enter_tape", native_enter_tape, METH_O, "See `_record.GradientTape`."},
    {"leave_tape", native_leave_tape, METH_O, "See `_record.GradientTape`."},
    {"gradient", (PyCFunction)(void (*)(void))native_gradient, METH_FASTCALL, "See `_record.GradientTape`."},
    {"finish", (PyCFunction)(void (*)(void))native_finish, METH_FASTCALL, "See `_flush._give`."},
    {"arrays", native_arrays, METH_O, "See `_program.arrays_of`."},
    {"many_wanted", native_many_wanted, METH_O, "How many of the nodes of a graph, a list, others hold."},
    {"known_arrays", native_known_arrays, METH_O, "See `_program.known_arrays`."},
    {"calls_of", (PyCFunction)(void (*)(void))native_calls_of, METH_FASTCALL,
     "The tuple of the calls of `nodes[start:stop]`."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The recorder's innermost parts, compiled; see native.h.", -1, functions,
};

PyMODINIT_FUNC PyInit__native(void)
{
    PyTypeObject *types[] = {&Node_type, &KnownCall_type, &Operator_type, &Indexing_type, &Wiring_type, &Pattern_type, NULL};
    const char *names[] = {"Node", "KnownCall", "Operator", "Indexing", "Wiring", "Pattern"};
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyModule_AddIntConstant(module, "VERSION", NATIVE_VERSION) < 0 ||
        PyModule_AddIntConstant(module, "MOST_TENSORS", MOST_TENSORS) < 0)
        return NULL;
#define INTERN(name, text) \
    if (!(name_##name = PyUnicode_InternFromString(text))) \
        return NULL;
    NAMES(INTERN)
#undef INTERN
    for (int i = 0; types[i]; i++) {
        if (PyType_Ready(types[i]) < 0)
            return NULL;
        Py_INCREF(types[i]);
        if (PyModule_AddObject(module, names[i], (PyObject *)types[i]) < 0)
            return NULL;
    }
    return module;
}
