-- The trace of the change that caused an event. Null without tracing, and for events of the previous release.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "events" ADD COLUMN "trace_parent" TEXT;
