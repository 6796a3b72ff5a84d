"""scikit-learn's own tests of the names that we share with it, run on our functions.

Its test modules come with its wheel. Each is loaded anew with our functions in the
place of its own, so its helpers, tables and parameters hold ours too. Its tests that
reach them are collected here; `DEVIATIONS` says why one must fail.
"""

import functools
import importlib.util
import re
from types import CodeType, FunctionType, SimpleNamespace

import pytest
import sklearn.metrics

from sklearn_irmetrics import metrics

pytestmark = pytest.mark.filterwarnings("default")  # theirs are no errors there
sklearn_version = tuple(map(int, sklearn.__version__.split(".")[:2]))
SHARED = [name for name in metrics.__all__ if hasattr(sklearn.metrics, name)]
MODULES = "test_ranking", "test_classification", "test_common", "test_score_objects"
# Of arrays of other libraries: all results are floats and NumPy arrays.
FIXTURES = ("string_labeled_classification_problem",)
LEFT_OUT = "array_api"

# Why tests must fail, by a pattern of their names.
MULTICLASS = "no multi_class=: binarize the labels, and rank the classes of each row"
COLUMNS = "2-D rows are queries: no average over columns"
GRADES = "numbers are grades, the relevant ones above 0, so more than two are no error"
LABELS = "class labels need pos_label=; without it they are a TypeError, as no numbers"
ONE_COLUMN = "a 2-D column would be queries of one document, and is refused"
ONE_DOCUMENT = "a query of one document is a query"
TIES = "the average over the orders of tied documents, not one step for all of them"
INFINITY = "-inf is a document that is not retrieved, and inf the highest score"
ANY_CLASS = "pos_label= may be any class of 2-D labels"
BY_MODULE = (
    "scikit-learn knows its own functions by their module; ours say it when called"
)
DEVIATIONS = {
    r"ranking__multiclass_ov[or]_roc_auc.*": MULTICLASS,
    r"ranking__multiclass_ranking_metrics_raise.*": GRADES,
    r"ranking__perfect_imperfect_chance_multiclass_roc_auc.*": MULTICLASS,
    r"ranking__micro_averaged_ovr_roc_auc": MULTICLASS,
    r"ranking__roc_auc_score_multiclass_labels_error.*": MULTICLASS,
    r"ranking__roc_auc_score_multiclass_error.*(average|msg).*": MULTICLASS,
    r"ranking__(confusion_matrix|binary_clf)_\w+multiclass_error.*": GRADES,
    r"ranking__(confusion_matrix|binary_clf)_\w+implicit_pos_label.*": LABELS,
    r"ranking__average_precision_constant_values": TIES,
    r"ranking__average_precision_score_multilabel_pos_label_errors": ANY_CLASS,
    r"ranking__precision_recall_curve_toydata.*": TIES,
    r"ranking__partial_roc_auc_score": TIES,
    r"ranking__roc_curve_toydata": COLUMNS,
    r"ranking__ndcg_error_single_document": ONE_DOCUMENT,
    r"classification__average_precision_score_\w+\[y_true0-y_score0\]": MULTICLASS,
    r"classification__average_precision_score_non_binary_class": GRADES,
    r"common__.*multi_class=.*": MULTICLASS,
    r"common__.*\[(weighted_)?ov[or]_roc_auc.*": MULTICLASS,
    r"common__multiclass_\w+\[.*average_precision_score\]": MULTICLASS,
    r"common__\w+_metric_permutation_\w+\[.*average_precision_score\]": MULTICLASS,
    r"common__format_invariance_\w+\[.*average_precision_score\]": ONE_COLUMN,
    r"common__binary_sample_weight_\w+\[.*average_precision_score\]": TIES,
    r"common__averaging_multilabel.*": COLUMNS,
    r"common__multilabel_sample_weight_\w+\[(micro|weighted)_.*": COLUMNS,
    r"common__\w+_multilabel_multioutput_\w+\[(micro|weighted)_.*": COLUMNS,
    r"common__metrics_pos_label_error_str.*": LABELS,
    r"common__(?!classif)\w+_numbers_labels\[(?!.*average|.*ov[or]_).*": LABELS,
    r"common__(?!classif)\w+_inf_nan_input\[y_true[03]-(?!.*multi_cl).*": INFINITY,
    r"score_objects__multiclass_roc_proba_scorer.*": MULTICLASS,
    r"score_objects__scorer_no_op_multiclass_select_proba": MULTICLASS,
    r"score_objects__invalid_default_pos_label_ignored_\w+": MULTICLASS,
    r"score_objects__thresholded_scorers_multilabel_indicator_data": COLUMNS,
    r"score_objects__average_precision_pos_label": LABELS,
    r"score_objects__scoring_is_not_metric": BY_MODULE,
}
if sklearn_version < (1, 7):
    OLD_NAME = "y_score has no former name"
    BYTES = r"ranking__binary_clf_curve_implicit_bytes_pos_label.*"
    DEVIATIONS[BYTES] = LABELS  # a ValueError there, a TypeError since
    DEVIATIONS[r"ranking__precision_recall_curve_deprecation_warning"] = OLD_NAME
if sklearn_version < (1, 8):  # its later tests draw scores without ties
    DEVIATIONS[r"ranking__precision_recall_curve\[(True|False)\]"] = TIES


def translate(function):
    """Return our function with scikit-learn's words for what we say differently.

    - `ignore_ties=True` is ``ties="stable"``.
    - `average` is over columns there, and ignored for 1-D arrays; over rows, which are
      our queries, it is "samples".
    - The points of a curve are a tuple there; ours unpack.
    """

    @functools.wraps(function)
    def translated(*arrays, ignore_ties=False, **options):
        if ignore_ties:
            options["ties"] = "stable"
        if "average" in options:
            if len(getattr(arrays[0], "shape", (0,))) == 1:
                del options["average"]
            elif options["average"] == "samples":
                options["average"] = "macro"
        found = function(*arrays, **options)
        return tuple(found) if function.__name__.endswith("_curve") else found

    return translated


OURS = {name: translate(getattr(metrics, name)) for name in SHARED}


def raises(expected, *arguments, match=None, **options):
    """Expect an error whatever its message: ours have our words."""
    return pytest.raises(expected, *arguments, **options)


def warns(expected, *arguments, match=None, **options):
    """Expect a warning whatever its message."""
    return pytest.warns(expected, *arguments, **options)


def load(name):
    """Run a test module of scikit-learn with our functions, None if it is not there."""
    spec = importlib.util.find_spec(f"sklearn.metrics.tests.{name}")
    if spec is None:
        return None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for shared, function in OURS.items():
            patch.setattr(sklearn.metrics, shared, function)
        spec.loader.exec_module(module)
    globals().update(
        {name: vars(module)[name] for name in FIXTURES if name in vars(module)}
    )
    module.pytest = SimpleNamespace(**vars(pytest) | {"raises": raises, "warns": warns})
    return module


def is_ours(value, module):
    """Whether a value is our function, holds it, or names it in the table."""
    if isinstance(value, str):
        value = getattr(module, "ALL_METRICS", {}).get(value)
    if isinstance(value, tuple | list):
        return any(is_ours(part, module) for part in value)
    if isinstance(value, functools.partial):
        value = value.func
    return isinstance(value, FunctionType) and value in OURS.values()


def names_in(code):
    """Return the names that code uses, its comprehensions and lambdas included."""
    inner = [names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def calls_ours(function, module):
    """Whether a function uses ours, or a helper of its module that does."""
    used = [vars(module).get(name) for name in names_in(function.__code__)]
    return any(is_ours(value, module) for value in used) or any(
        calls_ours(value, module)
        for value in used
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    )


def choose_parameters(mark, module):
    """Return a mark with those parameters only that are ours, None if none is."""
    names, values, *_ = mark.args
    ours = [
        value for value in values if is_ours(getattr(value, "values", value), module)
    ]
    return pytest.mark.parametrize(names, ours, ids=show).mark if ours else None


def show(value):
    """Return a metric with its options, None for what pytest can show."""
    if not isinstance(value, functools.partial):
        return None
    options = ", ".join(f"{key}={value}" for key, value in value.keywords.items())
    return f"{value.func.__name__}({options})"


def collect_tests(name):
    """Return the tests of a module that reach our functions."""
    module = load(name)
    if module is None:
        return {name: absent(name)}
    tests = {}
    for key, test in vars(module).items():
        if not key.startswith("test_") or LEFT_OUT in key:
            continue
        marks = getattr(test, "pytestmark", [])
        tables = [mark for mark in marks if mark.name == "parametrize"]
        chosen = [choose_parameters(mark, module) for mark in tables]
        if any(chosen) or calls_ours(test, module):
            test.pytestmark = [mark for mark in marks if mark.name == "filterwarnings"]
            test.pytestmark += [a or b for a, b in zip(chosen, tables, strict=True)]
            tests[f"{name}__{key.removeprefix('test_')}"] = test
    return tests


def absent(name):
    """Return a test that says that a test module is not there."""

    @pytest.mark.skip(reason=f"sklearn.metrics.tests.{name} is not installed")
    def test():
        pass

    return test


TESTS = {key: test for name in MODULES for key, test in collect_tests(name).items()}
globals().update(TESTS)


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture(autouse=True)
def _deviation(request):
    name = request.node.name.removeprefix("test_")
    reasons = [DEVIATIONS[key] for key in DEVIATIONS if re.fullmatch(key, name)]
    assert len(reasons) < 2, reasons
    if reasons:
        request.applymarker(pytest.mark.xfail(reason=reasons[0], strict=True))
