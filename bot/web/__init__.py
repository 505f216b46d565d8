"""The App's pages for its operators, and its webhook."""
