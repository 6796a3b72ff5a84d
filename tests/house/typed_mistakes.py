"""What ``mypy --strict`` must refuse, line by line; nothing here is run."""

import sklearn_irmetrics as irm
from sklearn_irmetrics import runs
from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.model_selection import evaluate

irm.ndcg_score([1, 0])  # call-arg
irm.ndcg_score([1, 0], [2, 1], 10)  # call-arg
irm.ndcg_score([1, 0], [2, 1], k="10")  # arg-type
irm.ndcg_score([1, 0], [2, 1], ties="averaged")  # arg-type
irm.ndcg_score([1, 0], [2, 1], average="micro")  # arg-type
irm.precision_at_k_score([1, 0], [2, 1], at=5)  # call-arg
irm.score_queries([1, 0], [2, 1], 3)  # arg-type
irm.score_queries([1, 0], [2, 1], "map").means()  # attr-defined
evaluate(None, [[0]], [0], scoring="map", aggregate="mean")  # call-overload
runs.align("qrels", "run", missing="drop")  # arg-type
irm.score_run("qrels", "run", "map", tie="stable")  # call-overload
print(compare({}, metric="map").p_adjust)  # attr-defined
compare({}, metric="map", correction="sidak")  # call-overload
print(leaderboard({}, metric=["map"]).rank_interval)  # attr-defined
