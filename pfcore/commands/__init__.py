"""The commands of `pf` that need more than a report: a model, a store, a ledger."""
