SET LOCAL lock_timeout = '2s';

-- AlterTable
ALTER TABLE "realms" ADD COLUMN "requires_encrypted_push" BOOLEAN NOT NULL DEFAULT false;
