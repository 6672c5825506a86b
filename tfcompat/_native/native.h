/* What the C files share.

   Each C function is the twin of a Python function, which says what is right; `tfcompat/_native/__init__.py` has the
   table of both. A C function takes the calls that are plain. For all others it returns NULL without setting an error,
   and its `Twin` (twin.c) calls the Python function with the same arguments.

   Classes are those of the Python modules, which hand them over when they are imported (`register`). C reads and writes
   their __slots__ at the offsets of the member descriptors. Only `Node` is a type of C's own (node.c). */
#ifndef TFCOMPAT_NATIVE_H
#define TFCOMPAT_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

/* Changes with what Python expects of the C code: `VERSION` in __init__.py. */
#define NATIVE_VERSION 19

/* ---- what Python hands over: `HANDED_OVER` in __init__.py has the same names ------------------------------------- */

#define HANDED_OVER(X) \
    X(Graph) X(Context) X(state) X(node_text) \
    X(Aval) X(TupleAval) X(Call) X(Operation) X(no_attributes) \
    X(apply_to_tracers) X(limit_reached) X(parts) X(cut_before_assignment) X(flush) X(running) X(undo) \
    X(run_ended) \
    X(UnrolledLoop) X(ndarray) X(on_device) X(Failure) X(Part) X(no_report) X(KnownCheck) X(check_known) \
    X(check_in_capture) \
    X(note_assignment) \
    X(recording_policy) X(tape_policy) X(immediate) X(debugging) \
    X(DType) X(EagerTensor) X(SymbolicTensor) \
    X(ResourceVariable) X(UnreadVariable) X(MirroredVariable) X(SyncOnReadVariable) X(PerReplica) \
    X(Gathering) X(Meeting) X(SUM) X(MARK) X(READ) X(assign_operation) X(add_operation) X(subtract_operation) \
    X(GradientTape) X(UnconnectedGradients) X(unconnected_none) X(kinds_of_jacobian) X(kinds_of_batch_jacobian) \
    X(Walk) X(patterns)

#define DECLARE(name) extern PyObject *of_##name;
HANDED_OVER(DECLARE)
#undef DECLARE

/* Slots of these classes, by class and name. */
#define SLOTS(X) \
    X(Graph, nodes) X(Graph, symbolic) X(Graph, limit) X(Graph, cut_point) X(Graph, iteration_ends) \
    X(Graph, loop) X(Graph, on_host) X(Graph, immediate) X(Graph, report) X(Graph, gathering) \
    X(Context, graph) X(Context, pending) X(Context, watchers) X(Context, trial) X(Context, running) X(Context, replica) \
    X(UnrolledLoop, calls) X(UnrolledLoop, _iterations) X(UnrolledLoop, _max_pending) X(UnrolledLoop, _pending_from) \
    X(Walk, call) X(Walk, captures) X(Walk, results) \
    X(Call, aval) X(Call, differentiable) X(Call, depends) X(Call, host) X(Call, programs) X(Call, check) \
    X(Call, at_once) X(Call, operation) X(KnownCheck, needed) X(KnownCheck, passed) \
    X(Operation, calls) X(Operation, weight) X(Operation, requires_results) \
    X(Aval, traced) X(Aval, inexact) X(Aval, host) X(Aval, large) \
    X(TupleAval, parts) X(TupleAval, traced) X(TupleAval, picks) \
    X(Part, whole) X(Part, number) X(Part, place) X(Part, _index) X(Part, is_divided) X(Part, _taken) \
    X(Gathering, _count) X(Gathering, _meetings) X(Gathering, _starts) X(Gathering, _keys) X(Gathering, running) \
    X(Gathering, reached) X(Gathering, _assignments) X(Gathering, goes_on) X(Gathering, owner) \
    X(Gathering, attributes) X(Gathering, marks) X(Gathering, reports) \
    X(Meeting, kind) X(Meeting, values) X(Meeting, collectives) X(Meeting, results) \
    X(EagerTensor, _node) X(UnreadVariable, _variable) \
    X(GradientTape, _records) X(GradientTape, _watched) X(GradientTape, _variables) X(GradientTape, _reads) \
    X(GradientTape, _watch_accessed_variables) X(GradientTape, _persistent) X(GradientTape, _recording) \
    X(GradientTape, _usable) X(GradientTape, _used)

#define DECLARE(class, name) extern Py_ssize_t at_##class##_##name;
SLOTS(DECLARE)
#undef DECLARE

/* `engine/_graph.Node`. */
typedef struct {
    PyObject_HEAD
    PyObject *call, *inputs, *aval, *value, *graph, *index, *copy;
} Node;

#define at_Node_call offsetof(Node, call)
#define at_Node_inputs offsetof(Node, inputs)
#define at_Node_aval offsetof(Node, aval)
#define at_Node_value offsetof(Node, value)
#define at_Node_graph offsetof(Node, graph)

extern PyTypeObject Node_type;
#define of_Node ((PyObject *)&Node_type)

/* The value of a slot, borrowed; NULL where it was never set. */
#define GET(object, class, name) (*(PyObject **)((char *)(object) + at_##class##_##name))

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

/* Whether operations run as they are called, by default; whether everything is left to Python, which takes notes. */
#define IMMEDIATE is_true(of_immediate)
#define DEBUGGING is_true(of_debugging)

/* Names of attributes. */
#define NAMES(X) \
    X(node, "_node") X(current_node, "_current_node") X(observe, "observe") \
    X(variable_accessed, "variable_accessed") X(trainable, "_trainable") X(context, "context") X(python, "python") \
    X(loop_check, "loop_check") X(max_records, "max_records") X(at_once, "at_once") \
    X(recent_calls, "recent_calls") X(as_node, "_as_node") X(assigned, "assigned") X(run, "run") X(parts, "_parts") \
    X(strategy, "_strategy") X(sums, "_sums") X(max_pending, "max_pending") X(values, "_values") \
    X(dict, "__dict__")

#define DECLARE(name, text) extern PyObject *name_##name;
NAMES(DECLARE)
#undef DECLARE

/* ---- twin.c: functions of the module ----------------------------------------------------------------------------- */

/* Returns the result, or NULL without an error where the call is left to Python. `names` is as in a vectorcall. */
typedef PyObject *(*Compiled)(PyObject *const *args, Py_ssize_t count, PyObject *names);

#define FUNCTIONS(X) \
    X(record) X(wrap) X(leaves) X(run_at_once) X(next_iteration) X(set_values) X(arrays) \
    X(arrays_for_replicas) X(known_arrays) \
    X(parts_of) X(wholes_of) X(values_now) X(in_order) X(select_replica) X(marked) X(inputs_of) X(seen) X(calls_of) \
    X(many_wanted) X(take_unwanted) \
    X(as_node) X(assign) X(assign_add) X(assign_sub) X(assign_in_replica) X(assign_add_in_replica) \
    X(assign_sub_in_replica) X(take_each) X(exchange) X(read) X(plain_key) \
    X(begin_tape) X(enter_tape) X(leave_tape) X(observe) X(variable_accessed) \
    X(gradient) X(jacobian) X(batch_jacobian) X(flattened)

#define DECLARE(name) \
    PyObject *compiled_##name(PyObject *const *args, Py_ssize_t count, PyObject *names); \
    extern PyObject *python_##name; /* the Python function, borrowed */
FUNCTIONS(DECLARE)
#undef DECLARE

extern PyTypeObject Twin_type, KnownCall_type, Operator_type, Indexing_type, Wiring_type;

/* What the objects begin with that stand for a Python function. */
#define TWIN_HEAD PyObject_HEAD vectorcallfunc vectorcall; PyObject *python;

typedef struct {
    TWIN_HEAD
    Compiled compiled;
} Twin;

PyObject *bound_method(PyObject *self, PyObject *instance, PyObject *owner);
PyObject *attribute_of_twin(PyObject *self, PyObject *name);
int set_attribute_of_twin(PyObject *self, PyObject *name, PyObject *value);
PyObject *text_of_twin(PyObject *self);

/* Their type: a method that binds, with the attributes of the Python function: its name, its signature. */
#define TWIN_TYPE \
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, \
    .tp_vectorcall_offset = offsetof(Twin, vectorcall), .tp_call = PyVectorcall_Call, \
    .tp_descr_get = bound_method, .tp_getattro = attribute_of_twin, .tp_setattro = set_attribute_of_twin, \
    .tp_repr = text_of_twin

/* Puts the arguments of a call into `values`, by position and by name; what is not passed stays as it is. Returns
   whether there were no others, and at least `needed`. */
int bind_arguments(PyObject *const *args, Py_ssize_t count, PyObject *names, const char *const *parameters,
                   Py_ssize_t many, Py_ssize_t needed, PyObject **values);

/* A number of `engine/_policy.py`; an error where the policy was not handed over. */
Py_ssize_t policy_number(PyObject *policy, PyObject *name);

/* ---- node.c ------------------------------------------------------------------------------------------------------ */

PyObject *new_node(PyObject *call, PyObject *inputs, PyObject *aval, PyObject *value, PyObject *graph);

int is_list_of_nodes(PyObject *nodes);
int are_nodes(PyObject *objects); /* all items of a tuple */

/* ---- record.c ---------------------------------------------------------------------------------------------------- */

PyObject *nothing(void);                              /* the empty tuple, borrowed */
PyObject *context_now(void);                             /* what the running thread records into, borrowed */
PyObject *recorded(PyObject *call, PyObject *inputs); /* a node, or a tuple of nodes */
PyObject *recorded_untold(PyObject *context, PyObject *call, PyObject *inputs); /* the same; no tape is told */
PyObject *tensor_of(PyObject *node);
PyObject *tensors_of(PyObject *result);

/* ---- variable.c -------------------------------------------------------------------------------------------------- */

/* A `ResourceVariable` itself, borrowed; of a variable of replicas, in the function of one, the part of that replica.
   NULL where Python has to look, or for anything else. */
PyObject *part_here(PyObject *variable);

static inline PyObject *variable_here(PyObject *object)
{
    if (IS(object, ResourceVariable))
        return object;
    return IS(object, MirroredVariable) || IS(object, SyncOnReadVariable) ? part_here(object) : NULL;
}

/* The node of the current value of a `ResourceVariable` (new); no tape is told that it was read. NULL without an error
   where Python has to look. */
PyObject *current_node(PyObject *variable);

/* The node of an operation of one node, of which no tape is told; NULL without an error where there is no such call. */
PyObject *applied(PyObject *context, PyObject *operation, PyObject *attributes, PyObject *node);

/* ---- tape.c ------------------------------------------------------------------------------------------------------ */

int tell_watchers(PyObject *watchers, PyObject *call, PyObject *inputs, PyObject *result);
int tell_of_read(PyObject *watchers, PyObject *variable, PyObject *node);

int tell_of_reads_from(Py_ssize_t first, PyObject *const *arguments, PyObject *const *nodes, Py_ssize_t count);

/* Tells the watchers which of the arguments of an op are variables that were read; -1 with an error. */
static inline int tell_of_reads(PyObject *const *arguments, PyObject *const *nodes, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (variable_here(arguments[i]))
            return tell_of_reads_from(i, arguments, nodes, count);
    return 0;
}

/* ---- calls.c ----------------------------------------------------------------------------------------------------- */

int is_tensor(PyObject *argument);
int is_number(PyObject *argument);

/* The node of a tensor or a variable (new), of which tapes are not yet told; NULL without an error where it is none. */
PyObject *node_of(PyObject *argument);

/* A number as part of a key, in which a zero has a sign: `x or str(x)`; new. */
PyObject *number_key(PyObject *number);

/* What a table of calls has for attributes and the avals of nodes, borrowed; NULL where there is nothing. Tables lose
   calls that nothing else holds: hold it where Python code may run. */
PyObject *call_for(PyObject *calls, PyObject *attributes, PyObject *const *nodes, Py_ssize_t count);

/* Whether a call is for the host, since its first input is known there. */
int runs_on_host(PyObject *call, PyObject *node);

/* Whether ops that have a NumPy version compute with it at once, which is the general way. */
int computes_at_once(void);

/* The calls of one or two tensors that were looked up last, which is faster than the table. The size of the table tells
   whether it has changed. */
typedef struct {
    PyObject *attributes, *avals[2], *call;
    Py_ssize_t size;
} Recent;

typedef struct {
    Recent *calls;
    size_t mask; /* how many there are, less 1 */
} RecentCalls;

int begin_recent(RecentCalls *recent); /* as many as the policy says; -1 with an error */
void end_recent(RecentCalls *recent);

/* As `call_for`, of one or two nodes. */
PyObject *recent_call(RecentCalls *recent, PyObject *calls, PyObject *attributes, PyObject *const *nodes,
                      Py_ssize_t count);

/* ---- structure.c ------------------------------------------------------------------------------------------------- */

PyObject *match_wiring(PyObject *wiring, PyObject *nodes); /* a tuple or None */

/* Whether all objects of a tuple are different ones; -1 with an error. */
int all_differ(PyObject *objects);

#endif
