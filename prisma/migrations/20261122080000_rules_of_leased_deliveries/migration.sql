-- A lease rewrites a delivery beside itself: with room for a second one of each on its page no index is written,
-- and with less the table becomes larger, not smaller.
ALTER TABLE "push_deliveries" SET (fillfactor = 50);
