"""Workspace memory: a garden of Markdown, its index, essence, themes and sessions."""

from membound.workspace.workspace import Workspace as Workspace
