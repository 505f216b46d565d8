"""What is asked of the deliveries, in words that SQLite and Postgres have in common."""

PUT = (
    "INSERT INTO deliveries (guid, event, installation, repository, received, body, queued) "
    "VALUES (:guid, :event, :installation, :repository, :received, :body, 0) "
    "ON CONFLICT (guid) DO NOTHING"
)
IS_QUEUED = "SELECT queued FROM deliveries WHERE guid = :guid"
MARK = "UPDATE deliveries SET queued = 1 WHERE guid = :guid"
GET = (
    "SELECT guid, event, installation, repository, received, body FROM deliveries "
    "WHERE guid = :guid AND event <> ''"
)
WAITING = (
    "SELECT guid, event, installation, repository, received, body FROM deliveries "
    "WHERE queued = 0 AND received <= :before ORDER BY received, guid LIMIT :most"
)
SINCE = "SELECT guid FROM deliveries WHERE received >= :moment"
REPOSITORIES = (
    "SELECT DISTINCT repository FROM deliveries "
    "WHERE installation = :installation AND repository IS NOT NULL"
)
FORGET = "DELETE FROM deliveries WHERE received < :moment"
# The id stays, or GitHub, which lists what it told for days, would be asked for it again.
ERASE = (
    "UPDATE deliveries SET event = '', installation = 0, repository = NULL, queued = 1, "
    "body = :nothing WHERE installation = :installation"
)
ERASE_ONE = f"{ERASE} AND repository = :repository"
