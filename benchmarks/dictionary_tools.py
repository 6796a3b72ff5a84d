"""Tools that take dictionaries: pytrec_eval, ranx and ir_measures."""

import re
from functools import partial

import numpy as np
from tool import Tool


class TrecEval(Tool):
    """What depends on trec_eval."""

    preset = "trec_eval9"

    def same_number(self, shape, measure):
        """Return the arguments; bpref needs documents judged not relevant."""
        if measure == "bpref" and not shape.all_judged:
            return None
        return super().same_number(shape, measure)

    def prepare(self, shape):
        """Return dictionaries."""
        return shape.dictionaries


class PytrecEval(TrecEval):
    """trec_eval, by pytrec_eval-terrier."""

    title = "pytrec_eval"
    distributions = ("pytrec-eval-terrier",)
    names = {
        "p@": "P_{}",
        "recall@": "recall_{}",
        "success@": "success_{}",
        "rprec": "Rprec",
        "mrr": "recip_rank",
        "ap": "map",
        "ap@": "map_cut_{}",
        "iprec@": "iprec_at_recall_{}",
        "11pt": "11pt_avg",
        "bpref": "bpref",
        "ndcg": "ndcg",
        "ndcg@": "ndcg_cut_{}",
    }

    def evaluation(self, prepared, measures):
        """Return its evaluation of the run; its judgments are read before."""
        import pytrec_eval

        qrels, run = prepared
        names = [self.name_of(measure) for measure in measures]
        # Recall levels are computed all or none.
        asked = {re.sub("(?<=at_recall)_.*", "", name) for name in names}
        return partial(pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate, run)

    def means(self, result, measures):
        """Return averages over queries."""
        names = [self.name_of(measure) for measure in measures]
        return [np.mean([row[name] for row in result.values()]) for name in names]


class Ranx(Tool):
    """ranx: compiled at its first use, one thread."""

    title = "ranx"
    distributions = ("ranx",)
    preset = "ranx"
    names = {
        "p@": "precision@{}",
        "recall@": "recall@{}",
        "f1@": "f1@{}",
        "success@": "hit_rate@{}",
        "rprec": "r-precision",
        "mrr": "mrr",
        "rr@": "mrr@{}",
        "ap": "map",
        "ap@": "map@{}",
        "rbp": "rbp.80",
        "bpref": "bpref",
        "dcg@": "dcg@{}",
        "ndcg": "ndcg",
        "ndcg@": "ndcg@{}",
    }
    arguments = {"rbp": {"persistence": 0.8}}

    def same_number(self, shape, measure):
        """Return the arguments; its graded rbp is another measure."""
        if measure == "rbp" and shape.all_judged:  # our shapes with grades
            return None
        # It averages NaN where bpref has nothing to compare with.
        return None if measure == "bpref" else super().same_number(shape, measure)

    def prepare(self, shape):
        """Return its objects, which hold the run sorted."""
        import ranx

        qrels, run = shape.dictionaries
        return ranx.Qrels(qrels), ranx.Run(run)

    def evaluation(self, prepared, measures):
        """Return its evaluation."""
        import ranx

        names = [self.name_of(measure) for measure in measures]
        return lambda: ranx.evaluate(
            *prepared, names, threads=1, save_results_in_run=False
        )

    def means(self, result, measures):
        """Return one number for each measure."""
        if len(measures) == 1:
            return [result]
        return [result[self.name_of(measure)] for measure in measures]


class IrMeasures(TrecEval):
    """ir_measures, by the provider that it chooses."""

    title = "ir_measures"
    distributions = ("ir-measures", "pytrec-eval-terrier")
    names = {
        "p@": "P@{}",
        "recall@": "R@{}",
        "success@": "Success@{}",
        "rprec": "Rprec",
        "mrr": "RR",
        "rr@": "RR@{}",
        "ap": "AP",
        "ap@": "AP@{}",
        "iprec@": "IPrec@{}",
        "bpref": "Bpref",
        "ndcg": "nDCG",
        "ndcg@": "nDCG@{}",
        "err@": "ERR@{}",
    }
    differs = ("err",)

    def evaluation(self, prepared, measures):
        """Return its evaluation of the run; its judgments are read before."""
        import ir_measures

        qrels, run = prepared
        asked = [ir_measures.parse_measure(self.name_of(name)) for name in measures]
        return partial(ir_measures.evaluator(asked, qrels).calc_aggregate, run)

    def means(self, result, measures):
        """Return one number for each measure."""
        import ir_measures

        names = map(self.name_of, measures)
        return [result[ir_measures.parse_measure(name)] for name in names]
