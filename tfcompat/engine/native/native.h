/* What the parts of the compiled recorder share.

   The classes are those of the Python modules, which are registered when these are imported; their __slots__ are read
   and written at the offsets that the member descriptors tell. Only `Node` is a type of its own (node.c). Each function
   takes what is common and quick to decide; for everything else it calls the Python function that it stands for, which
   can do all of it. */
#ifndef TFCOMPAT_NATIVE_H
#define TFCOMPAT_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Classes and functions, registered by their names. */
#define REGISTERED(X) \
    X(Node) X(Graph) X(Here) X(Failure) X(Operation) X(no_attributes) X(Call) X(Aval) X(TupleAval) X(ndarray) X(DType) \
    X(EagerTensor) X(SymbolicTensor) X(ResourceVariable) X(GradientTape) \
    X(state) X(record_slowly) X(apply_to_tracers) X(due) X(parts) X(on_device) X(node_text) \
    X(cut_before_assignment) X(flush) X(turn) X(Loop) X(recording_policy) X(tape_policy) X(walk) X(Walk)

#define DECLARE(name) extern PyObject *of_##name;
REGISTERED(DECLARE)
#undef DECLARE

/* Slots, by class and name. */
#define SLOTS(X) \
    X(Node, call) X(Node, inputs) X(Node, aval) X(Node, value) X(Node, graph) \
    X(Graph, nodes) X(Graph, symbolic) X(Graph, limit) X(Graph, mark) X(Graph, ends) X(Graph, loop) X(Graph, on_host) \
    X(Graph, immediate) X(Here, graph) X(Here, pending) X(Here, watchers) X(Here, trial) \
    X(Loop, calls) X(Loop, _turns) X(Loop, _most) X(Loop, _from) \
    X(Walk, call) X(Walk, captures) X(Walk, results) \
    X(Call, aval) X(Call, differentiable) X(Call, depends) X(Call, host) X(Call, programs) X(Operation, calls) \
    X(Aval, traced) X(Aval, inexact) X(Aval, host) \
    X(TupleAval, parts) X(TupleAval, traced) X(TupleAval, picks) \
    X(EagerTensor, _node) \
    X(GradientTape, _records) X(GradientTape, _watched) X(GradientTape, _variables) X(GradientTape, _reads) \
    X(GradientTape, _watch_accessed_variables) X(GradientTape, _persistent) X(GradientTape, _recording) \
    X(GradientTape, _usable) X(GradientTape, _used)

#define DECLARE(class, name) extern Py_ssize_t at_##class##_##name;
SLOTS(DECLARE)
#undef DECLARE

/* The value of a slot, borrowed; NULL where it was never set. */
#define GET(object, class, name) (*(PyObject **)((char *)(object) + at_##class##_##name))

/* Changes with what the Python modules expect of this one: `_compiled.VERSION`. */
#define NATIVE_VERSION 4
#define MOST_TENSORS 8 /* of a known call; Python asks for it */

#define IS(object, class) ((PyObject *)Py_TYPE(object) == of_##class)

static inline void set_slot(PyObject **place, PyObject *value)
{
    PyObject *before = *place;
    Py_INCREF(value);
    *place = value;
    Py_XDECREF(before);
}

#define SET(object, class, name, value) set_slot(&GET(object, class, name), value)

static inline int is_true(PyObject *object) { return object == Py_True; }

extern int immediate; /* whether operations run as they are called, by default */
extern int debugging; /* whether reads of variables are noted, in Python */

/* Numbers of `engine/_policy.py`, read when it is registered: `Recording.max_static` and `Recording.recent_calls`. */
extern Py_ssize_t max_static, recent_calls;
#define ROOM_FOR_STATIC 64 /* not below `max_static` */

/* Names of attributes. */
#define NAMES(X) \
    X(node, "_node") X(observe, "observe") X(variable_accessed, "variable_accessed") X(as_node, "_as_node") \
    X(trainable, "_trainable") X(here, "here") X(loop_check, "loop_check") X(max_records, "max_records") \
    X(patterns, "_patterns") X(take, "_take") X(assigned, "assigned") X(run, "run")

#define DECLARE(name, text) extern PyObject *name_##name;
NAMES(DECLARE)
#undef DECLARE

/* Whether an object is a node; TypeError otherwise. */
static inline int is_node(PyObject *object)
{
    if (IS(object, Node))
        return 1;
    PyErr_Format(PyExc_TypeError, "a Node was expected, got %R", object);
    return 0;
}

/* node.c */
PyObject *new_node(PyObject *call, PyObject *inputs, PyObject *aval, PyObject *value, PyObject *graph);

/* record.c */
PyObject *nothing(void);                                                 /* the empty tuple, borrowed */
PyObject *here_now(void);                                                /* borrowed */
PyObject *recorded(PyObject *call, PyObject *inputs);                    /* a node, or a tuple of nodes */
PyObject *tensor_of(PyObject *node);
PyObject *tensors_of(PyObject *result);

/* tape.c */
int tell_watchers(PyObject *watchers, PyObject *call, PyObject *inputs, PyObject *result);
int tell_of_read(PyObject *watchers, PyObject *variable, PyObject *node);

/* calls.c: the node of an argument (new), NULL without an error where it is none. */
PyObject *node_of(PyObject *argument);

int is_tensor(PyObject *argument);
int is_number(PyObject *argument);

/* A number as part of a key, in which a zero has a sign: `x or str(x)`; new. */
PyObject *number_key(PyObject *number);

/* What a table of calls has for attributes and the avals of nodes, borrowed; NULL where there is nothing. */
PyObject *call_for(PyObject *calls, PyObject *attributes, PyObject *const *nodes, Py_ssize_t count);

/* Whether a call is for the host, since its first input is known there. */
int runs_on_host(PyObject *call, PyObject *node);

/* Calls of one or two tensors that were looked up last. Avals and attributes are never freed; calls are held. The table
   that they are of only grows: its size tells whether it is the same. */
#define ROOM_FOR_RECENT 8 /* not below `recent_calls` */
typedef struct {
    PyObject *attributes, *avals[2], *call;
    Py_ssize_t size;
} Recent;

/* As `call_for`, of one or two nodes. */
PyObject *recent_call(Recent *recent, PyObject *calls, PyObject *attributes, PyObject *const *nodes, Py_ssize_t count);
void forget(Recent *recent);

extern PyTypeObject Node_type, KnownCall_type, Operator_type, Indexing_type, Wiring_type, Pattern_type;

/* Functions of the module. */
PyObject *native_record(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_wrap(PyObject *, PyObject *);
PyObject *native_update(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *flattened(PyObject *records, PyObject *seeds, PyObject *sources, PyObject *kind);
PyObject *match_wiring(PyObject *wiring, PyObject *nodes); /* a tuple or None */
PyObject *native_take_each(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_known_arrays(PyObject *, PyObject *);
PyObject *native_plain_key(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_read(PyObject *, PyObject *);
PyObject *native_leaves(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_run_at_once(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_flattened(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_prepare_tape(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_enter_tape(PyObject *, PyObject *);
PyObject *native_leave_tape(PyObject *, PyObject *);
PyObject *native_gradient(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_finish(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_arrays(PyObject *, PyObject *);
PyObject *native_calls_of(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *native_many_wanted(PyObject *, PyObject *);

#endif
