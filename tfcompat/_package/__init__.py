"""What every module may use: lazy imports, messages for missing names, logging. Imports nothing of tfcompat."""
