"""The ledger `pf.lock`: the committed record of verdicts, readable without a store or a model.

It is in JSON Lines, and each line is independent: order, position and duplicates mean nothing. So a
merge may keep both sides, and a repository tells git so in `.gitattributes`:

    pf.lock merge=union

`ledger` defines what lines mean and how ledgers are merged, `lock_lines` reads and writes them and
decides which count, `dismissals` decides what a dismissal covers, and `measurement` records how
well a contract finds errors.
"""
