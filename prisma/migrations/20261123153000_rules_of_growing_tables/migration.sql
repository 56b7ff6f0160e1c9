SET LOCAL lock_timeout = '5s';

-- Rows come and go. At the default of a fifth of the table the first vacuum would come after millions of dead rows.
ALTER TABLE "events" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "event_queues" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "remote_deliveries" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "push_service_changes" SET (autovacuum_vacuum_scale_factor = 0.01);

-- Each commit of an organisation updates its row, which no index covers but the primary key: room for updates in place.
ALTER TABLE "event_heads" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Each report of presence updates a row.
ALTER TABLE "user_presence" SET (autovacuum_vacuum_scale_factor = 0.02);

-- The tables grow for ever: new rows become visible to index-only scans after a small part of the table, not a fifth.
ALTER TABLE "messages" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE "user_messages" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
