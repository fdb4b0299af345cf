"""Workspace memory: a garden of Markdown, its index, essence, themes and sessions."""
