"""The ledger `pf.lock`: the committed record of verdicts, readable without a store or a model.

It is JSON Lines, and each line stands for itself: its order, its place and its copies mean nothing.
So both sides of a merge may be kept, and a repository says so to git in `.gitattributes`:

    pf.lock merge=union

`ledger` has what lines mean and how ledgers are united, `lock_lines` reads and writes them and says
which count, `dismissals` says what a dismissal covers, `measurement` what a contract was found to
see.
"""
