-- CreateTable
CREATE TABLE "push_removal_pages" (
    "id" BIGSERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "removals" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "trace_parent" TEXT,

    CONSTRAINT "push_removal_pages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "push_removal_pages_realm_id_id_idx" ON "push_removal_pages"("realm_id", "id");
