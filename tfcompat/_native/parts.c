/* Twins of functions of `engine/_parts.py`: values of replicas, together in one array. */
#include "native.h"

static PyObject *new_part(PyObject *whole, PyObject *number, PyObject *place, PyObject *index)
{
    PyObject *part = ((PyTypeObject *)of_Part)->tp_alloc((PyTypeObject *)of_Part, 0);
    if (part) {
        SET(part, Part, whole, whole);
        SET(part, Part, number, number);
        SET(part, Part, place, place);
        SET(part, Part, _index, index);
        SET(part, Part, is_divided, Py_False);
        SET(part, Part, _taken, Py_None);
    }
    return part;
}

/* parts_of(wholes, places, place) -> list of Parts */
PyObject *compiled_parts_of(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 3 || names || !of_Part || !PyList_CheckExact(args[0]) || !PyList_CheckExact(args[1]))
        return NULL;
    PyObject *wholes = args[0], *places = args[1], *parts = PyList_New(PyList_GET_SIZE(places));
    for (Py_ssize_t i = 0; parts && i < PyList_GET_SIZE(places); i++) {
        PyObject *entry = PyList_GET_ITEM(places, i), *part;
        Py_ssize_t k = -1;
        if (PyTuple_CheckExact(entry) && PyTuple_GET_SIZE(entry) == 3 && PyLong_CheckExact(PyTuple_GET_ITEM(entry, 0)))
            k = PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 0));
        if (k < 0 || k >= PyList_GET_SIZE(wholes)) {
            PyErr_Clear();
            Py_DECREF(parts);
            return NULL;
        }
        part = new_part(PyList_GET_ITEM(wholes, k), PyTuple_GET_ITEM(entry, 1), args[2], PyTuple_GET_ITEM(entry, 2));
        if (!part)
            Py_CLEAR(parts);
        else
            PyList_SET_ITEM(parts, i, part);
    }
    return parts;
}

/* Whether two objects are the same small int. */
static int is_same_number(PyObject *a, PyObject *b)
{
    return a == b || (PyLong_CheckExact(a) && PyLong_CheckExact(b) && PyObject_RichCompareBool(a, b, Py_EQ) == 1);
}

/* The first of the parts of one array, borrowed; Py_None where they are none, NULL where Python has to look. */
static PyObject *first_of_one(PyObject *arrays, PyObject *numbers, PyObject *place)
{
    PyObject *first = Py_None;
    int is_one = 1;
    for (Py_ssize_t replica = 0; replica < PyTuple_GET_SIZE(numbers); replica++) {
        PyObject *number = PyTuple_GET_ITEM(numbers, replica);
        Py_ssize_t i = PyLong_CheckExact(number) ? PyLong_AsSsize_t(number) : -1;
        if (i < 0 || i >= PyTuple_GET_SIZE(arrays)) {
            PyErr_Clear();
            return NULL;
        }
        PyObject *part = PyTuple_GET_ITEM(arrays, i);
        if (!IS(part, Part) || !is_same_number(GET(part, Part, place), place))
            is_one = 0;
        PyObject *of = is_one ? GET(part, Part, number) : Py_None;
        if (of != Py_None && (!PyLong_CheckExact(of) || PyLong_AsSsize_t(of) != replica))
            is_one = 0;
        if (replica && is_one && GET(part, Part, whole) != GET(first, Part, whole))
            is_one = 0;
        if (!replica)
            first = part;
    }
    return is_one ? first : Py_None;
}

/* The array in an entry (parts, array) of `known`, if these are its parts, borrowed; Py_None where they are not, NULL
   where Python has to look. */
static PyObject *noted(PyObject *entry, PyObject *arrays, PyObject *numbers)
{
    if (entry == Py_None)
        return Py_None;
    if (!PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 2 || !PyTuple_CheckExact(PyTuple_GET_ITEM(entry, 0)) ||
        PyTuple_GET_SIZE(PyTuple_GET_ITEM(entry, 0)) != PyTuple_GET_SIZE(numbers))
        return NULL;
    PyObject *parts = PyTuple_GET_ITEM(entry, 0);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); i++) /* the numbers were looked at before */
        if (PyTuple_GET_ITEM(arrays, PyLong_AsSsize_t(PyTuple_GET_ITEM(numbers, i))) != PyTuple_GET_ITEM(parts, i))
            return Py_None;
    return PyTuple_GET_ITEM(entry, 1);
}

static int append_number(PyObject *list, Py_ssize_t k)
{
    PyObject *number = PyLong_FromSsize_t(k);
    int failed = !number || PyList_Append(list, number) < 0;
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

/* wholes_of(arrays, places, place, known) -> (wholes, divided, others) */
PyObject *compiled_wholes_of(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count != 4 || names || !of_Part || !PyTuple_CheckExact(args[0]) || !PyList_CheckExact(args[1]) ||
        !PyList_CheckExact(args[3]) || PyList_GET_SIZE(args[3]) != PyList_GET_SIZE(args[1]))
        return NULL;
    PyObject *places = args[1], *result = NULL;
    PyObject *wholes = PyList_New(PyList_GET_SIZE(places)), *divided = PyList_New(0), *others = PyList_New(0);
    int good = wholes && divided && others;
    for (Py_ssize_t k = 0; good && k < PyList_GET_SIZE(places); k++) {
        PyObject *numbers = PyList_GET_ITEM(places, k);
        PyObject *first = PyTuple_CheckExact(numbers) ? first_of_one(args[0], numbers, args[2]) : NULL, *whole = first;
        if (first == Py_None)
            whole = noted(PyList_GET_ITEM(args[3], k), args[0], numbers);
        else if (first)
            whole = GET(first, Part, whole);
        if (!whole)
            good = 0;
        else if (whole == Py_None)
            good = append_number(others, k) == 0;
        else if (first != Py_None && is_true(GET(first, Part, is_divided)))
            good = append_number(divided, k) == 0;
        if (good)
            PyList_SET_ITEM(wholes, k, Py_NewRef(whole));
    }
    PyObject *numbers = good ? PyList_AsTuple(divided) : NULL;
    if (numbers)
        result = PyTuple_Pack(3, wholes, numbers, others);
    Py_XDECREF(numbers);
    Py_XDECREF(wholes);
    Py_XDECREF(divided);
    Py_XDECREF(others);
    return result;
}
