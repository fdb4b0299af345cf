"""The options of the verbs that ask data sets."""

from __future__ import annotations

from typing import get_args

import click

from membound.evaluation.survey.sets import OptionalField

__all__ = ["resamples", "unanswerable", "without"]

without = click.option(
    "--without",
    type=click.Choice(get_args(OptionalField)),
    multiple=True,
    help="A field of a data set's records that is left out.",
)

unanswerable = click.option(
    "--unanswerable",
    metavar="CATEGORY",
    multiple=True,
    default=("adversarial",),
    show_default=True,
    help="Questions that nothing answers, whatever their ids say; repeatable.",
)

resamples = click.option(
    "--resamples",
    type=click.IntRange(40, 1_000_000),
    default=1_000,
    show_default=True,
    help="Draws that an interval is made of.",
)
