"""Values and protocols of the App: no library, no network."""
