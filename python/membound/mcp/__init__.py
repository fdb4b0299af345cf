"""The tools of a workspace for agents' clients, over the Model Context Protocol."""
