SET LOCAL lock_timeout = '5s';

-- Operators write it with SQL, and every client renders it before the sign-in. Named in test/integration/migrations.
ALTER TABLE "realms" ADD CONSTRAINT "realms_description_check" CHECK (char_length("description") <= 1000);
