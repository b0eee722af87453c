"""Configuration of Sphinx: ``sphinx-build -W docs site`` builds the pages and the reference from docstrings."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for executed_examples

project = "causal-zigzag"
author = "The causal-zigzag authors"
version = release = version_of("causal-zigzag")

extensions = ["executed_examples", "myst_parser", "sphinx.ext.autodoc", "sphinx_click", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
nitpicky = False
html_theme = "furo"
html_title = f"causal-zigzag {version}"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
