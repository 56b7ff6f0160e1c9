-- A change merges members into the settings, which only works with an object.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "users"
  ADD CONSTRAINT "users_display_settings_check" CHECK (jsonb_typeof("display_settings") = 'object');
