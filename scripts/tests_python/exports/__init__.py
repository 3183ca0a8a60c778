"""Exported models in the tools they are for: every answer must be the rule's (scripts/tests_python/exports_test.py)."""
