"""What can be done with a workspace, by what it is done to."""
