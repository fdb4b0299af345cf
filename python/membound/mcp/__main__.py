"""`python -m membound.mcp`: the server of the current folder's workspace, over stdio."""

from __future__ import annotations

import os

from membound.mcp.server import serve_stdio

if __name__ == "__main__":
    serve_stdio({}, log_level=os.environ.get("MEMBOUND_LOG", "WARNING"))
