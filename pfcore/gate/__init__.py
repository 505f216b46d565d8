"""Whether a whole paper may go out, and what goes: the outcome, its record's facts, the upload."""
