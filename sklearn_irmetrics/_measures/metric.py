"""The facts about one metric."""

import inspect
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from sklearn_irmetrics._core.marks import MARKS

# Parameters that every metric takes besides its own.
SHARED_PARAMETERS = frozenset(
    ("qid", "labels", "sample_weight", "ties", "average", "replace_undefined_by")
)
# Further names of metrics.
ALIASES = {
    "precision": "p",
    "r": "recall",
    "hit_rate": "success",
    "hr": "success",
    "r_precision": "rprec",
    "mrr": "rr",
    "recip_rank": "rr",
    "map": "ap",
    "gm_map": "gmap",
    "interpolated_precision": "iprec",
    "eleven_point": "11pt",
    "11pt_avg": "11pt",
    "auc": "roc_auc",
    "q_measure": "q",
    "coverage_ratio": "coverage",
    "novelty_ratio": "novelty",
    "tau": "kendall_tau",
    "kendall": "kendall_tau",
    "rho": "spearman_rho",
    "spearman": "spearman_rho",
    "strec": "subtopic_recall",
    "strecall": "subtopic_recall",
    "ap_ia": "map_ia",
    "self_information": "miuf",
    "intra_list_diversity": "ild",
    "set_precision": "set_p",
    "setp": "set_p",
    "sensitivity": "set_recall",
    "setr": "set_recall",
    "setf": "set_f",
    "accuracy": "set_accuracy",
    "specificity": "set_specificity",
    "fallout": "set_fallout",
    "set_dice": "set_f1",
}
RESPONSES = ("decision_function", "predict_proba", "predict")


@dataclass(frozen=True, eq=False)
class Metric:
    """Facts about one metric.

    Attributes
    ----------
    name : str
        Its name.
    function : callable
        The public function.
    kind : {"ranking", "set", "labels"}
        What it depends on: the order of documents, which documents were retrieved, or
        two labels of each document.
    range : tuple of float
        The smallest and the largest value.
    graded : bool
        Whether it distinguishes grades above the relevance threshold.
    at : str
        The parameter that ``@`` sets.
    arguments : dict
        Arguments that the name implies, for the metric that has the same function.
    exact_ties : bool
        Whether the value under ties is the mean over the orders of tied documents.
        Otherwise these count as one step, or their exposures are averaged.
    marks : tuple of str
        Marks of documents that it requires.
    subtopics : bool
        Whether it takes grades of documents by subtopic, of shape (n_documents,
        n_subtopics).
    extremes : bool
        Whether it supports the best and the worst order of tied documents.
    ranks_without_k : bool
        Whether it depends on the order of documents if there is no cutoff. Otherwise it
        has one value for all estimators, which score every document.
    weighs_documents : bool
        Whether documents of one set or ranking may have weights.
    """

    name: str
    function: Any
    kind: str = "ranking"
    range: tuple = (0.0, 1.0)
    graded: bool = False
    at: str = "k"
    arguments: dict = field(default_factory=dict)
    exact_ties: bool = True
    marks: tuple = ()
    subtopics: bool = False
    extremes: bool = True
    ranks_without_k: bool = True
    weighs_documents: bool = False

    @cached_property
    def kernel(self):
        """The formula of the function, under its name without the ending.

        It takes a ranking, or the counts of a set; measures of labels have none.
        """
        *package, _, file = self.function.__module__.split(".")
        name = self.function.__name__.removesuffix("_score").removesuffix("_loss")
        return getattr(import_module(".".join([*package, "kernels", file])), name, None)

    @property
    def aliases(self):
        """Its further names."""
        return tuple(alias for alias, name in ALIASES.items() if name == self.name)

    @property
    def greater_is_better(self):
        """Whether larger values are better."""
        return not self.function.__name__.endswith("_loss")

    @property
    def has_direction(self):
        """Whether larger values, or smaller ones, are better."""
        return self.function.__name__.endswith(("_score", "_loss"))

    @property
    def judges_predictions(self):
        """Whether it scores the result of `predict` for each row, not an order."""
        return self.kind != "ranking"

    @property
    def response_method(self):
        """The prediction methods that a scorer calls."""
        return "predict" if self.judges_predictions else RESPONSES

    @cached_property
    def signature(self):
        """All parameters of the function, as `inspect` describes them."""
        return inspect.signature(self.function).parameters

    @cached_property
    def takes(self):
        """The names of all parameters of the function."""
        return frozenset(self.signature)

    @cached_property
    def parameters(self):
        """Its own parameters with their defaults."""
        return {
            name: parameter.default
            for name, parameter in self.signature.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            and name not in SHARED_PARAMETERS
            and name not in MARKS
        }

    @property
    def ranks(self):
        """Whether it depends on the order of documents, for which ties have rules."""
        return "ties" in self.takes

    @cached_property
    def required(self):
        """The names of its own parameters that have no default."""
        return [
            name
            for name, default in self.parameters.items()
            if default is inspect.Parameter.empty
        ]
