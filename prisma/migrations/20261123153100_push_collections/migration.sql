SET LOCAL lock_timeout = '5s';

-- CreateTable
CREATE TABLE "push_collections" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_collections_pkey" PRIMARY KEY ("id")
);
