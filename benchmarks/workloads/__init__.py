"""The programs that are timed, one module each, in the order of `MODULES`.

A workload module has a docstring whose first line says what it is, and

  make(tf, **sizes)      -> step, arguments   TensorFlow code; tfcompat and TensorFlow run this same text
  make_jax(**sizes)      -> step, arguments   what an expert writes by hand, functional, under `jax.jit`: the limit
  make_torch(**sizes)    -> step, arguments   optional

`step(*arguments)` does one step, keeps its own state and returns one number or array to compare. A module may have

  SIZES = {name: sizes}    several workloads from one module; by default one, named as the module
  TITLES = {name: text}    of workloads that their sizes do not tell apart
  SMALL = {...}            sizes for quick runs and tests, in place of those of `SIZES`
  MOST_ROUNDS = 5          the rounds needed, however many are asked for
  NOT_ON = {peer: reason}  peers that cannot sensibly run it
  READ_EVERY_STEP = True   no state is kept from step to step, so each result is read: deferred execution does not
                           compute what nobody looks at
  COMPARED_STEPS = 10      how many first steps are compared among peers

or instead of `make` measure whole processes, each call in new ones:

  measure(peer, limit, **sizes)   -> {"value": number, "results": [...]}; raises `Missing`, and `Failed` after `limit`
                                     seconds
  UNIT = "s"                         what the number is; by workload, if they differ
"""

import dataclasses
import importlib
import types

MODULES = (
    "op_chain",
    "mlp_step",
    "mlp_adam",
    "input_gradient_regularization",
    "pgd",
    "wgan_gp",
    "pinn_burgers",
    "hessian_newton",
    "jacobians",
    "hvp",
    "gru_loop",
    "resnet",
    "random_trees",
    "euler_loop",
    "cold_start",
    "memory",
)  # fmt: skip


class Missing(Exception):
    """This peer does not run this workload; says why."""


class Failed(Exception):
    """A peer stopped or took too long; says why."""


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    module: types.ModuleType
    sizes: dict

    @property
    def title(self):
        titles = getattr(self.module, "TITLES", {})
        if self.name in titles:
            return titles[self.name]
        first = (self.module.__doc__ or self.name).splitlines()[0].rstrip(".")
        sizes = ", ".join(f"{name} {value}" for name, value in self.sizes.items())
        return f"{first} ({sizes})" if sizes else first

    @property
    def read_every_step(self):
        return getattr(self.module, "READ_EVERY_STEP", False)

    @property
    def compared_steps(self):
        return getattr(self.module, "COMPARED_STEPS", 10)

    @property
    def unit(self):
        """What `measure` gives; None for workloads that are timed step by step."""
        unit = getattr(self.module, "UNIT", None)
        return unit[self.name] if isinstance(unit, dict) else unit

    @property
    def most_rounds(self):
        return getattr(self.module, "MOST_ROUNDS", 1000)

    def check(self, peer):
        """Raises `Missing` for a peer that cannot sensibly run this."""
        reason = getattr(self.module, "NOT_ON", {}).get(peer)
        if reason:
            raise Missing(reason)

    def make(self, tf):
        return self.module.make(tf, **self.sizes)

    def make_jax(self):
        return self._own("make_jax")(**self.sizes)

    def make_torch(self):
        return self._own("make_torch")(**self.sizes)

    def measure(self, peer, limit):
        return self.module.measure(peer, limit, **self.sizes)

    def _own(self, name):
        function = getattr(self.module, name, None)
        if function is None:
            raise Missing("not written for it")
        return function


def _modules():
    return [importlib.import_module(f"{__name__}.{module}") for module in MODULES]


def _sizes(module):
    return getattr(module, "SIZES", {module.__name__.rpartition(".")[2]: {}})


def names():
    return [name for module in _modules() for name in _sizes(module)]


def load(name, small=False):
    """The `Workload` of this name; with `small`, of a size for tests."""
    for module in _modules():
        if name in _sizes(module):
            sizes = _sizes(module)[name] | (getattr(module, "SMALL", {}) if small else {})
            return Workload(name, module, sizes)
    raise KeyError(name)


def title(name):
    return load(name).title
