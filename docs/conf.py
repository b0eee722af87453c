"""Configuration of Sphinx: ``sphinx-build -W docs site`` builds the pages and the reference from docstrings."""

from importlib.metadata import version as version_of

project = "causal-zigzag"
author = "The causal-zigzag authors"
version = release = version_of("causal-zigzag")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
nitpicky = False
html_theme = "furo"
html_title = f"causal-zigzag {version}"
html_static_path: list[str] = []
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
