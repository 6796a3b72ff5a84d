"""Recipes of the guide run as written, and give the numbers of the tools they are for.

A recipe whose library is not installed is skipped.
"""

import doctest
import importlib.util
import itertools
import re
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score

import sklearn_irmetrics
from oracles.places import ROOT
from sklearn_irmetrics.model_selection import QueryKFold

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture
def follow(tmp_path, monkeypatch):
    """Run a recipe as its page has it, and return the names that it leaves."""

    def follow(page, title, *libraries, names=()):
        for library in libraries:
            if importlib.util.find_spec(library) is None:
                pytest.skip(f"{library} is not installed: the recipe is not run")
        text = (ROOT / "docs" / "guide" / f"{page}.rst").read_text(encoding="utf-8")
        recipe = re.search(
            rf"^{title}\n-+\n(.*?)(?=^[^\n]+\n---|\Z)", text, re.M | re.S
        )
        parser = doctest.DocTestParser()
        test = parser.get_doctest(recipe[1], dict(names), title, page, 0)
        said = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how libraries use each other
            runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
            failed, attempted = runner.run(test, out=said.append, clear_globs=False)
        assert attempted
        assert not failed, "".join(said)
        return test.globs

    monkeypatch.chdir(tmp_path)
    return follow


def pytrec_values(qrels, run, metrics):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    values = pytrec_eval.RelevanceEvaluator(qrels, set(metrics)).evaluate(run)
    return {metric: [values[qid][metric] for qid in qrels] for metric in metrics}


def ndcg_of(names, score):
    """scikit-learn's nDCG@10 of the validation queries, which are of one length."""
    rows = np.asarray(names["valid"])
    y_true = np.asarray(names["y"]).reshape(-1)[rows].reshape(-1, 20)
    return ndcg_score(y_true, np.asarray(score).reshape(y_true.shape), k=10)


def test_a_retriever_for_generation(follow):
    names = follow("workflows", "A retriever for generation")
    qrels = {
        question: dict.fromkeys(docs, 1) for question, docs in names["gold"].items()
    }
    for name, run in names["retrievers"].items():
        result = names["results"][name]
        judged = {question: qrels[question] for question in result.query_ids}
        first_three = {
            question: dict(sorted(docs.items(), key=lambda doc: -doc[1])[:3])
            for question, docs in run.items()
        }
        expected = pytrec_values(
            judged, first_three, ["success_5", "recip_rank", "ndcg_cut_3"]
        )
        found = [result.scores[metric] for metric in ("hit_rate@3", "mrr@3", "ndcg@3")]
        assert_allclose(found, list(expected.values()))
    differences = np.subtract(
        *(names["results"][name].scores["mrr@3"] for name in ("characters", "words"))
    )
    flips = np.array(list(itertools.product([-1, 1], repeat=len(differences))))
    means = (flips * differences).mean(axis=1)
    p_value = np.mean(np.abs(means) >= abs(differences.mean()) - 1e-12)
    assert_allclose(names["better"].p_value, p_value)


def test_a_folder_of_beir(follow):
    names = follow("recipes", "A BEIR folder")
    qrels = {"1": {"31715818": 1}, "3": {"14717500": 1, "9": 2}}
    expected = pytrec_values(qrels, names["run"], ["ndcg_cut_10", "recall_100"])
    found = names["result"].scores
    assert_allclose(found["ndcg@10"], expected["ndcg_cut_10"])
    assert_allclose(found["recall@100"], expected["recall_100"])


def test_recommendations_without_training_items(follow):
    names = follow("recipes", "Recommendations without training items")
    users = names["users"]
    train, later = names["train"][users], names["later"][users]
    expected = []
    for user in range(len(later)):
        items = [item for item in range(30) if not train[user, item]]
        items.sort(key=lambda item: -names["scores"][user, item])
        hits = [bool(later[user, item]) for item in items]
        gained = sum(hit / np.log2(rank + 2) for rank, hit in enumerate(hits[:10]))
        ideal = sum(1 / np.log2(rank + 2) for rank in range(min(sum(hits), 10)))
        above = sum(  # a hit above a miss
            first and not second for first, second in itertools.combinations(hits, 2)
        )
        pairs = sum(hits) * (len(hits) - sum(hits))
        expected.append([hits[0], gained / ideal, above / pairs])
    found = np.transpose(list(names["result"].scores.values()))
    assert_allclose(found, expected)


def test_reading_by_language_models(follow):
    names = follow("agents", "Passages that distract")
    metrics = [names["Measure"](f"cg@{k}", gain=names["gain"]) for k in (2, 4)]
    found = names["score_queries"](names["y_true"], names["y_score"], metrics)
    assert [*found.mean.values()] == [1 - 0.5, 1 - 0.5 + 0 + 1]
    names = follow("agents", "Documents that a user may see")
    allowed = names["allowed"]
    for user, (n_found, n_to_find) in enumerate([(1, 2), (1, 2)]):
        rows = allowed[user], names["y_true"][user], names["y_score"][user]
        seen = sorted(zip(*(one[rows[0]] for one in rows[:0:-1]), strict=True))[::-1]
        assert sum(grade for _, grade in seen) == n_to_find
        assert sum(grade for _, grade in seen[:2]) == n_found
    names = follow("agents", "Recall within a budget of tokens", names=names)
    # Tokens read in order: 300, 400, 600, 700 and 400, 500, 800, 900.
    for budget, read in ((299, (0, 0)), (400, (2, 1)), (600, (3, 2)), (899, (4, 3))):
        scores = names["within"](budget, names["y_score"], names["n_tokens"])
        assert (scores > -np.inf).sum(axis=1).tolist() == [*read]


def test_searches_of_an_agent(follow):
    names = follow("agents", "Several searches for one question")
    once = {"q1": ["x", "a", "y", "b"], "q2": ["z", "y"]}
    assert {q: [*dict.fromkeys(one)] for q, one in names["read"].items()} == once
    found = names["score_run"](
        names["gold"], once, ["recall@3", "rr"], unmatched="ignore"
    )
    assert found.mean == {"recall@3": (1 / 2 + 0) / 2, "rr": (1 / 2 + 0) / 2}


def test_torch(follow):
    names = follow("training_loops", "torch", "torch")
    best = names["model"](names["X"][names["valid"]]).detach()
    best_of_history = max(values["ndcg@10"] for values in names["history"])
    assert_allclose(ndcg_of(names, best), best_of_history)
    assert_allclose(ndcg_of(names, names["scores"]), names["history"][-1]["ndcg@10"])


def test_skorch(follow):
    names = follow("training_loops", "skorch", "skorch")
    score = names["net"].predict(names["X"][names["valid"]])
    assert_allclose(names["net"].history[-1, "ndcg@10"], ndcg_of(names, score))


def test_optuna(follow):
    names = follow("training_loops", "Optuna", "optuna")
    from sklearn.linear_model import SGDRegressor

    study = names["study"]
    assert {trial.state.name for trial in study.trials} == {"COMPLETE", "PRUNED"}
    model = SGDRegressor(**study.best_params, random_state=0)
    for _ in range(5):
        model.partial_fit(names["X"][names["train"]], names["y"][names["train"]])
    score = model.predict(names["X"][names["valid"]])
    assert_allclose(study.best_value, ndcg_of(names, score))


# With other libraries -----------------------------------------------------------------


@pytest.fixture
def follow_neighbour(follow, monkeypatch):
    """Run a recipe of the page of neighbours on its data."""
    for library in ("pandas", "matplotlib"):
        pytest.importorskip(library)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("WANDB_SILENT", "true")

    def follow_neighbour(title, *libraries):
        data = follow("neighbours", "The data")
        return follow("neighbours", title, *libraries, names=data)

    return follow_neighbour


def fold_means(names, model, score, y=None, response="predict"):
    """The mean of each fold, without any scorer."""
    X, qid = names["X"], names["qid"]
    y = names["y"] if y is None else y
    means = []
    for train, test in QueryKFold(5).split(X, y, qid=qid):
        predict = getattr(clone(model).fit(X[train], y[train]), response)
        means.append(score(y[test], predict(X[test]), qid=qid[test]))
    return means


ndcg_at_10 = partial(sklearn_irmetrics.ndcg_score, k=10)


def test_skore(follow_neighbour):
    names = follow_neighbour("skore", "skore")
    expected = fold_means(names, Ridge(), ndcg_at_10)
    assert_allclose(names["table"].loc["ndcg_at_10"], expected)


def test_skore_takes_scorers_apart(follow_neighbour):
    names = follow_neighbour("skore", "skore")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names["report"].metrics.add(names["scorer"], name="taken_apart")
        table = names["report"].metrics.summarize().frame(aggregate=None)
    assert table.reindex(["taken_apart"]).isna().all(axis=None)


def test_skrub(follow_neighbour):
    names = follow_neighbour("skrub", "skrub")
    expected = fold_means(names, Ridge(), ndcg_at_10)
    assert_allclose(names["folds"]["test_score"], expected)
    assert_allclose(
        names["search"].results_["mean_test_score"],
        [np.mean(fold_means(names, Ridge(alpha), ndcg_at_10)) for alpha in (1, 100)],
    )


def test_fairlearn(follow_neighbour):
    names = follow_neighbour("fairlearn", "fairlearn")
    values = names["scores"].scores["ndcg@10"]
    language = np.array([names["by_query"][qid] for qid in names["scores"].query_ids])
    for group, mean in names["frame"].by_group.items():
        assert_allclose(mean, values[language == group].mean())


def test_imbalanced_learn(follow_neighbour):
    names = follow_neighbour("imbalanced-learn", "imblearn")
    expected = fold_means(
        names,
        names["balanced"],
        sklearn_irmetrics.average_precision_score,
        names["relevant"],
        "decision_function",
    )
    assert_allclose(names["folds"]["test_score"], expected)


def test_optuna_and_estimates(follow_neighbour):
    names = follow_neighbour("Optuna", "optuna")
    model = Ridge(**names["study"].best_params)
    means = fold_means(names, model, ndcg_at_10)
    assert_allclose(names["study"].best_value, np.mean(means))


def test_mlflow(follow_neighbour):
    names = follow_neighbour("MLflow", "mlflow")
    for metric, values in names["scores"].scores.items():
        assert_allclose(names["logged"].scores[metric], values)


def test_weights_and_biases(follow_neighbour):
    names = follow_neighbour("Weights & Biases", "wandb")
    expected = ndcg_at_10(names["y"], names["X"][:, 0], qid=names["qid"])
    assert_allclose(names["logged"]["ndcg@10"], expected)


@pytest.mark.parametrize("lazy", [False, True])
def test_narwhals(follow_neighbour, lazy):
    names = follow_neighbour("narwhals", "narwhals", "pyarrow")
    frame = names["frame"].sort("query")
    if lazy:
        polars = pytest.importorskip("polars")
        table = polars.from_arrow(frame.to_arrow()).lazy()
        frame = names["nw"].from_native(table).to_native()
    scores = names["score_frame"](frame, "ndcg@10", **names["columns"])
    expected = ndcg_at_10(names["y"], names["X"][:, 0], qid=names["qid"])
    assert_allclose(scores.mean["ndcg@10"], expected)


def test_duckdb(follow_neighbour):
    names = follow_neighbour("DuckDB", "duckdb", "pyarrow")
    scores = names["score_frame"](names["relation"], "ndcg@10", **names["columns"])
    expected = ndcg_at_10(names["y"], names["X"][:, 0], qid=names["qid"])
    assert_allclose(scores.mean["ndcg@10"], expected)
