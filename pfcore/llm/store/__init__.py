"""The memo of raw replies: SQLite by default, any database that SQLAlchemy knows by URL."""
