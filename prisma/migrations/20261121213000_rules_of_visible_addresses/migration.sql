-- People are named by the address that others see, whatever its case.
CREATE INDEX "users_lower_email_idx" ON "users" (lower("email"));
