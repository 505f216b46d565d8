"""Records and deliveries in SQL."""
