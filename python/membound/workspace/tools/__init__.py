"""The tools of a workspace: one function each over `Workspace`, its arguments and its reply."""
