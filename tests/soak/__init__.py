"""Long runs against a model in memory: real processes, real kills; `make soak` runs it.

The model knows what every verb does to plain records, and `tests/oracle` what a recall of them
selects.
"""
