"""A paper's files at one moment, from git or a folder."""
