"""Papers whose authors have corrected an error, collected as the paper's data set was."""
