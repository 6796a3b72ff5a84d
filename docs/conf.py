"""Configuration of Sphinx.

Build with ``sphinx-build -W --keep-going -b html docs docs/_build/html``. Nothing is
downloaded, and every broken link is a warning, which ``-W`` makes an error.
"""

import inspect
import re
import runpy
import sys
from pathlib import Path

from cycler import cycler
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from jinja2 import StrictUndefined, Template
from matplotlib import pyplot as plt
from matplotlib.sphinxext.plot_directive import PlotDirective
from numpydoc.xref import DEFAULT_LINKS
from sphinx.errors import ExtensionError

import sklearn_irmetrics
from sklearn_irmetrics.plot._style import COLORS

sys.path.insert(0, str(Path(__file__).parent))  # for the modules beside this file

from gallery import use_small_figures  # noqa: E402
from reference import (  # noqa: E402
    guide_pages,
    index_entries,
    public_objects,
    write_reference,
)
from tables import fit_tables  # noqa: E402

project = "sklearn_irmetrics"
author = "The sklearn_irmetrics developers"
copyright = author
version = release = sklearn_irmetrics.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
# An earlier build may have left examples at the top, where none are now.
exclude_patterns = [
    "_build",
    "examples",
    "auto_examples/plot_*",
    "**/GALLERY_HEADER.rst",
]
templates_path = ["_templates"]
nitpicky = True
# What single backticks hold in docstrings is linked where it is documented; it may as
# well be a parameter. Links in the pages say what they link to, and are strict.
default_role = "py:obj"
nitpick_ignore_regex = [("py:obj", ".*")]
# References of a docstring are sources, which its text need not cite.
suppress_warnings = ["ref.citation"]

autodoc_default_options = {
    "members": True,
    # What scikit-learn adds to our classes has links into pages of its own.
    "inherited-members": "BaseEstimator, BaseShuffleSplit, BaseCrossValidator, tuple, "
    "Mapping, Metric, Module, Sampler",
    "exclude-members": "get_metadata_routing, set_fit_request, set_score_request, "
    "set_split_request",
}
autodoc_typehints = "none"
autosummary_generate = True
autosummary_context = {
    "index_entries": index_entries(),
    "guide_pages": guide_pages(),
}
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
# Types of parameters link to our classes, and to nothing else.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {word: word for word in DEFAULT_LINKS} | {
    name.rpartition(".")[2]: name
    for name, value in public_objects().items()
    if inspect.isclass(value)
}
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

# Pictures of the guide, drawn by the scripts in `pictures`.
plot_basedir = "pictures"
plot_formats = ["svg"]
plot_html_show_formats = plot_html_show_source_link = False
plot_apply_rcparams = True
plot_rcparams = {
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.figsize": (5.6, 3.4),  # its text can be read on a phone, too
    "legend.frameon": False,
}

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"  # of docutils: browsers need no script and no network
html_title = project
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")
html_show_sourcelink = False
html_sidebars = {"index": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
html_theme_options = {
    "footer_end": [],
    "footer_start": ["copyright"],
    "header_links_before_dropdown": 6,
    "logo": {"text": project},
    "navbar_start": ["navbar-logo", "release"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}

SECTIONS = "learning", "search", "classification", "evaluation"
sphinx_gallery_conf = {
    "backreferences_dir": "api/generated",
    "doc_module": ("sklearn_irmetrics",),
    "download_all_examples": False,
    "examples_dirs": "examples",
    "filename_pattern": "plot_",
    "gallery_dirs": "auto_examples",
    "image_scrapers": ("gallery.scrape_figures",),
    "min_reported_time": 5,
    "remove_config_comments": True,
    "reset_modules": (
        "matplotlib",
        "gallery.style_figures",
        "gallery.reset_routing",
    ),
    "show_memory": False,
    "show_signature": False,
    "subsection_order": [f"examples/{name}" for name in SECTIONS],
    "within_subsection_order": "ExampleTitleSortKey",
    "write_computation_times": False,  # a page of scripts from elsewhere
}


class Picture(PlotDirective):
    """Draw a picture, with numbers of its script in the alternative text."""

    def run(self):
        """Fill in ``{{ name }}``, and draw."""
        script = Path(__file__).parent / plot_basedir / self.arguments[0]
        text = Template(self.options["alt"], undefined=StrictUndefined)
        self.options["alt"] = text.render(runpy.run_path(str(script)))
        plt.close("all")
        return super().run()


def link_elsewhere(app, env, node, contnode):
    """Link short names to our modules, and long ones to pages of scikit-learn."""
    name, python = node.get("reftarget", ""), env.get_domain("py")
    for module in ("", "metrics.", "reports.", "streaming."):
        ours = f"sklearn_irmetrics.{module}{name}"
        if ours in python.objects:
            here, role = node["refdoc"], node["reftype"]
            return python.resolve_xref(
                env, here, app.builder, role, ours, node, contnode
            )
    if re.fullmatch(r"sklearn(\.\w+)+", name):
        # Its addresses follow from the names.
        page = f"https://scikit-learn.org/stable/modules/generated/{name}.html"
        return nodes.reference("", "", contnode, internal=False, refuri=page)
    return None


def escape_attributes(app, what, name, obj, options, lines):
    """Keep reST from taking the ``n_features_in_`` of a shape for a link."""
    lines[:] = [re.sub(r"(?<=\()(\w+)_(?=[,)])", r"\1\\_", line) for line in lines]


def unlink_cutoffs(app, doctree):
    """Turn ``nDCG@10``, which reST takes for an address, into text again."""
    for node in list(doctree.findall(nodes.reference)):
        if node.get("refuri", "").startswith("mailto:"):
            node.replace_self(node.children)


def visit_formula(self, node):
    """Write a formula in a line of text as MathML."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def visit_formulas(self, node):
    """Write displayed formulas, an empty line between two, as MathML."""
    texts = re.split(r"\n\s*\n", node.astext().strip())
    formulas = [tex2mathml(text, as_block=True) for text in texts]
    self.body.append(f'<div class="formula">{"".join(formulas)}</div>')
    raise nodes.SkipNode


def mark_long_lines(app, doctree):
    """Give code a smaller font where its lines do not fit the column."""
    for node in doctree.findall(
        lambda node: isinstance(node, (nodes.literal_block, nodes.doctest_block))
    ):
        longest = max(map(len, node.astext().splitlines()), default=0)
        if longest > 90:
            node["classes"].append("long-lines" if longest > 100 else "longer-lines")


def link_source_back(app, pagename, templatename, context, doctree):
    """Link the source of what several modules make public to where it is described."""

    def anchor(match):
        page, name = match.groups()
        return f"{page}.html#{page}{name.partition(page.rpartition('.')[2])[2]}"

    if pagename.startswith("_modules/"):
        context["body"] = re.sub(
            r"(?<=api/generated/)([\w.]+)\.html#([\w.]+)", anchor, context["body"]
        )


def check_complete(app, env):
    """Refuse to leave out anything public."""
    documented = set(env.get_domain("py").objects)
    missing = sorted(set(public_objects()) - documented)
    if missing:
        raise ExtensionError(
            f"public and not in the API reference: {', '.join(missing)}."
        )


def setup(app):
    """Write the reference before Sphinx reads it, and check it afterwards."""
    write_reference(Path(app.srcdir) / "api")
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_formulas, None))
    app.add_directive("plot", Picture, override=True)
    app.connect("autodoc-process-docstring", escape_attributes)
    app.connect("builder-inited", use_small_figures, priority=900)  # after the gallery
    app.connect("doctree-read", mark_long_lines)
    app.connect("doctree-read", unlink_cutoffs)
    app.connect("missing-reference", link_elsewhere)
    app.connect("env-check-consistency", check_complete)
    app.connect("html-page-context", fit_tables)
    app.connect("html-page-context", link_source_back)
