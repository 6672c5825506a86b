"""Automatic differentiation: tapes, accumulators, and gradients of the user's own."""
from tfcompat.tape._custom import custom_gradient as custom_gradient
from tfcompat.tape._custom import grad_pass_through as grad_pass_through
from tfcompat.tape._custom import recompute_grad as recompute_grad
from tfcompat.tape._custom import refuse_gradient as refuse_gradient
from tfcompat.tape._custom import stop_gradient as stop_gradient
from tfcompat.tape._forward import ForwardAccumulator as ForwardAccumulator
from tfcompat.tape._gradient_tape import GradientTape as GradientTape
from tfcompat.tape._gradient_tape import UnconnectedGradients as UnconnectedGradients
from tfcompat.tape._registry import RegisterGradient as RegisterGradient
from tfcompat.tape._registry import no_gradient as no_gradient
