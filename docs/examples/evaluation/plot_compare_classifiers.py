"""
Find out which classifier is better
===================================

Four classifiers are tested on the same images. Where the intervals of two accuracies
overlap, the interval of the difference may still tell the classifiers apart.
"""

# %%
# The task is to read a digit from the upper part of its image. There are no queries:
# each row of ``X`` is an image with one right class. ``evaluate`` trains and tests all
# classifiers on the same folds.

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_irmetrics import compare, evaluate
from sklearn_irmetrics.plot import EvaluationDisplay

X, y = load_digits(return_X_y=True)
X = X[:, :20]
models = {
    "forest": RandomForestClassifier(50, random_state=0),
    "SVM": make_pipeline(StandardScaler(), SVC()),
    "kNN": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
}
options = {"scoring": "accuracy", "method": "stratified", "random_state": 0}
results = evaluate(models, X, y, **options)
results

# %%
# Accuracy has a value for every image: 1 if the class is right, and 0 otherwise. Some
# images are hard for all classifiers, so a paired test over images sees differences
# that the intervals of the accuracies hide. Its intervals and adjusted p-values hold
# for all three comparisons at once.

comparison = compare(results, baseline="kNN", random_state=0)
comparison

# %%
# The differences from the nearest neighbours: no interval contains 0, although the
# interval of their accuracy, in the first table, overlaps with all others.

_ = EvaluationDisplay.from_results(comparison)

# %%
# ``test="sign"`` gives the p-values of McNemar's exact test, which looks only at images
# that one of two classifiers gets right.

compare(results, baseline="kNN", test="sign")

# %%
# F1 has no value per image. It is compared over the splits, by a t-test that is
# corrected for the training data that they share. Five splits tell little, so the folds
# are repeated ten times.

two = {name: models[name] for name in ("kNN", "linear")}
repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)
evaluate(two, X, y, scoring="set_f1", method=repeated).compare()
