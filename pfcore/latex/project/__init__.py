"""The files of one document, what they declare, and how each is to be read."""
