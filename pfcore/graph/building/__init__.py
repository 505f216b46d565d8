"""From blocks to the proof document: order, pairing, scopes, references."""
