-- AlterTable
ALTER TABLE "channel_folders" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "creator_id" INTEGER,
ADD COLUMN     "description" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "place" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "channel_folders_creator_id_idx" ON "channel_folders"("creator_id");

-- AddForeignKey
ALTER TABLE "channel_folders" ADD CONSTRAINT "channel_folders_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
