-- A lease rewrites a delivery beside itself: with room for a second one of each on its page no index is written.
ALTER TABLE "remote_deliveries" SET (fillfactor = 50);
