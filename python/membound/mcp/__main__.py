"""`python -m membound.mcp`: the server of a folder's workspace, over stdio."""

from __future__ import annotations

import os
import sys

from membound.mcp.server import serve_stdio
from membound.mcp.starting import settings_of

if __name__ == "__main__":
    settings = settings_of(sys.argv[1:], os.environ)
    serve_stdio(settings, log_level=os.environ.get("MEMBOUND_LOG", "WARNING"))
