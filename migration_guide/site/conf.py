"""Sphinx's settings for the sources that build.py writes."""

from tfcompat._version import __version__

project = "tfcompat"
author = "the authors of tfcompat"
version = release = __version__
copyright = author
root_doc = "index"

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
myst_ref_domains = ["std"]
nitpicky = True
default_role = "py:obj"

add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
toc_object_entries = False

html_theme = "furo"
html_title = f"tfcompat {__version__}"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
html_use_index = True
html_domain_indices = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
