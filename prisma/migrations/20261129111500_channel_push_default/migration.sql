ALTER TABLE "channels" ADD COLUMN "is_pushed_by_default" BOOLEAN NOT NULL DEFAULT false;
