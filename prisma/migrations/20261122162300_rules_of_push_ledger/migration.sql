-- Each delivery leaves dead rows behind. At the default of a fifth of the table the first vacuum would come after millions.
ALTER TABLE "push_notifications" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "push_deliveries" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "push_dead_letters" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "idempotency_keys" SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0.01);
