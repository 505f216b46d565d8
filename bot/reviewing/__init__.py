"""The review of a stranger's paper, within limits of time and memory."""
