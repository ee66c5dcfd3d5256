"""Sphinx: `sphinx-build -W -j auto docs build/handbook`."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "simbackup"
author = "the simbackup authors"
release = importlib.metadata.version("simbackup")
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "handbook.extension",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["build", "pictures"]
default_role = "code"
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are published with their outputs

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_rtype = False
napoleon_preprocess_types = False

html_theme = "furo"
html_title = f"simbackup {release}"
html_static_path = ["static"]
html_css_files = ["handbook.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_show_copyright = False
toc_object_entries = False  # each equation has a heading of its own
html_copy_source = False
html_show_sourcelink = False
pygments_style = "default"
pygments_dark_style = "monokai"
