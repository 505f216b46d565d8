"""What the App shows to its operators in a browser."""
