SET LOCAL lock_timeout = '5s';

-- Each report of presence updates a row, and no index covers what changes: room for updates in place.
ALTER TABLE "user_presence" SET (fillfactor = 50);
