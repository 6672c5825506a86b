"""What every layer is built on: `Layer`, its weights, calls, masks and configurations."""
