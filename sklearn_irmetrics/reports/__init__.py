"""Scores per query of many measures, and reports and tables of them.

The names stand at the top level; importing this package loads none of its files, since
reports need SciPy and `score_queries` does not.
"""
