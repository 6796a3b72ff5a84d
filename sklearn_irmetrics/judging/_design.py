"""How people's labels were chosen: whole queries, or documents."""

from sklearn_irmetrics.judging._inputs import check_documents
from sklearn_irmetrics.judging._queries import WholeQueries
from sklearn_irmetrics.judging._sampled import SampledDocuments, check_inclusion


def make_design(y_true, y_judge, inclusion, replacement, **given):
    """Return what estimates from these labels; see `score_judged`."""
    documents = check_documents(y_true, y_judge, **given)
    if inclusion is None:
        return WholeQueries(documents, replacement)
    inclusion = check_inclusion(inclusion, documents)
    return SampledDocuments(documents, replacement, inclusion)
