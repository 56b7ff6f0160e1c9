-- CreateTable
CREATE TABLE "push_reviews" (
    "user_id" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "push_reviews_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "push_reviews_due_at_idx" ON "push_reviews"("due_at");
