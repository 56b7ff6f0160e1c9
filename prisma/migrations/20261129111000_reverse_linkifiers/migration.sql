ALTER TABLE "linkifiers" ADD COLUMN "example_input" TEXT,
  ADD COLUMN "reverse_template" TEXT,
  ADD COLUMN "alternative_url_templates" TEXT[] DEFAULT ARRAY[]::TEXT[];
