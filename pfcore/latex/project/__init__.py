"""The files of one document, what they declare, how each is to be read."""
