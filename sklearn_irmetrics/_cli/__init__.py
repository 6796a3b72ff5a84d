"""The command ``irmetrics``."""
