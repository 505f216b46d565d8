"""Renderers: reports in, text out; nothing here reads or prints."""
