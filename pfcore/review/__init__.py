"""The review of a paper: its changes, verdicts on its proofs, blocking findings, unseen parts."""
