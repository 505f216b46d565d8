"""The review of a paper: what changed, what is known of its proofs, what blocks, what is unseen."""
