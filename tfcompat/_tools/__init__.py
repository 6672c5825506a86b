"""The tools behind `python -m tfcompat`: check, translate, run, info. Nothing imports them but the command line."""
