"""Sphinx settings. The build reads nothing from the network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import sumlearn
from sumlearn.version import __version__

project = "sumlearn"
author = "The sumlearn developers"
copyright = "The sumlearn developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_parser",
    "sphinx_copybutton",
    "plain_docstrings",
    "mathml",
]
exclude_patterns = ["_build", "**/_template.md"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The reference lists what the packages list in __all__.
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autosummary_context = {"at_the_top": sumlearn.__all__}  # described once, there
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
suppress_warnings = ["ref.python"]  # words of a type such as "rows" are no links

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "sumlearn"
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
