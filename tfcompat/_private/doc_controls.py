"""tensorflow/tools/docs/doc_controls.py: marks for a documentation generator."""


def _mark(target):
    return target


do_not_generate_docs = do_not_doc_inheritable = do_not_doc_in_subclasses = for_subclass_implementers = _mark
doc_private = doc_in_current_and_subclasses = _mark
