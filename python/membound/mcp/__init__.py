"""The workspace's tools over MCP, and what brings them to an agent's client."""
