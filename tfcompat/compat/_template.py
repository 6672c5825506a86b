"""`tf.compat.v1.make_template`: a function whose variables are made once."""
import functools

from tfcompat._core import restoring as _restoring
from tfcompat._core.dependencies import Trackable
from tfcompat._package.logging import logger
from tfcompat.compat._scopes import forget_scopes_in, state, unique_scope_name, variable_scope


class EagerTemplate(Trackable):
    """What `make_template` gives: a function, and its variables, which checkpoints save.

    Args:
      name: of the scope of the variables.
      func: the function.
      create_scope_now: whether the name is settled now rather than by the first call.
      custom_getter: as in `tf.compat.v1.variable_scope`.

    TF: the class of what `tf.compat.v1.make_template` gives eagerly.
    """

    def __init__(self, name, func, create_scope_now=False, custom_getter=None):
        if name is None:
            raise ValueError("name cannot be None.")
        self._name, self._func, self._custom_getter = name, func, custom_getter
        self._scope = None
        self._variables_created = False
        self.shared = state.templates[-1].shared if state.templates else {}  # by full name; also of others around
        if create_scope_now:
            with variable_scope(unique_scope_name(name), custom_getter=custom_getter) as self._scope:
                pass

    def __call__(self, *args, **kwargs):
        """Calls the function: the first call makes the variables, every later one gets them."""
        if self._scope is None:
            block = variable_scope(None, self._name, custom_getter=self._custom_getter)
        else:
            block = variable_scope(self._scope)
        with block as scope:
            self._scope = self._scope or scope
            if state.templates and not self._variables_created:
                state.templates[-1].has_made(self, self._scope.name)
                self.shared = state.templates[-1].shared
            state.templates.append(self)
            try:
                return self._call(args, kwargs)
            finally:
                state.templates.pop()
                forget_scopes_in(self._scope.name)

    def has_made(self, child, name):
        """Makes a variable, or a template, that the function has made a child, called by its name in the scope."""
        prefix = f"{self._scope.name}/"
        if name.startswith(prefix):
            self._track_trackable(child, name.removeprefix(prefix), overwrite=True)
            _restoring.any_attribute(self)

    def _call(self, args, kwargs):
        before = self._in_scope()
        result = self._func(*args, **kwargs)
        made = [variable for variable in self._in_scope() if not any(variable is known for known in before)]
        if not self._variables_created:
            self._variables_created = True
        elif any(variable.trainable for variable in made):
            trained = [variable for variable in made if variable.trainable]
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps you used tf.Variable "
                f"when you meant tf.get_variable: {trained}"
            )
        elif made:
            logger.info("New variables created when calling a template after the first time: %s", made)
        return result

    def _in_scope(self):
        prefix = f"{self._scope.name}/"
        return [self.shared[name] for name in sorted(self.shared) if name.startswith(prefix)]

    @property
    def name(self):
        """The name given."""
        return self._name

    @property
    def func(self):
        """The function given."""
        return self._func

    @property
    def variable_scope(self):
        """The scope of the variables; None before it is made."""
        return self._scope

    @property
    def var_scope(self):
        """Deprecated name of `variable_scope`."""
        return self._scope

    @property
    def variable_scope_name(self):
        """The name of the scope, with `/`; None before it is made."""
        if self._scope is None:
            return None
        name = self._scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    @property
    def variables(self):
        """The variables, by name; none before the first call has ended."""
        return self._in_scope() if self._variables_created else []

    @property
    def trainable_variables(self):
        """Those of the variables that train."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self):
        """Those of the variables that do not train."""
        return [variable for variable in self.variables if not variable.trainable]

    @property
    def local_variables(self):
        """None are: a list that is empty."""
        return []

    global_variables = weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A function whose `tf.compat.v1.get_variable` makes variables in the first call and gets them in later ones.

    Args:
      name_: of the scope of the variables; gets a number if it is in use.
      func_: the function.
      create_scope_now_: whether the scope is that around `make_template` rather than that around the first call.
      unique_name_: must be None, as eagerly in TF.
      custom_getter_: as in `tf.compat.v1.variable_scope`.
      **kwargs: arguments of `func_`.

    Returns:
      The function, which has `variables` and `trainable_variables`, too.

    Raises:
      ValueError: no name, or a unique one; in a later call, a variable that trains is new, or is asked for with
        another shape or dtype.

    TF: `tf.compat.v1.make_template`, eagerly; made within a tf.function it is the same.
    """
    if unique_name_ is not None:
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    func_ = functools.partial(func_, **kwargs) if kwargs else func_
    return EagerTemplate(name_, func_, create_scope_now_, custom_getter_)
