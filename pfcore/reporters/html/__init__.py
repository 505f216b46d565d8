"""The report as one HTML page that asks nobody for anything."""
