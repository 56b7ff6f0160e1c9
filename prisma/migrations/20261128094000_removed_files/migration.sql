-- CreateTable
CREATE TABLE "removed_files" (
    "key" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "removed_files_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "removed_files_due_at_idx" ON "removed_files"("due_at");
