"""What was said in a host's sessions: its wire files, read as turns."""
