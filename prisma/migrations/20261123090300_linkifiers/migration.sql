SET LOCAL lock_timeout = '5s';

-- CreateTable
CREATE TABLE "linkifiers" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "pattern" TEXT NOT NULL,
    "url_template" TEXT NOT NULL,
    "place" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "linkifiers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "linkifiers_realm_id_pattern_key" ON "linkifiers"("realm_id", "pattern");

-- AddForeignKey
ALTER TABLE "linkifiers" ADD CONSTRAINT "linkifiers_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
