"""Known errors planted in a paper's own proofs, each with its true location."""
