import { defineConfig } from 'prisma/config';

// Prisma's command line reads this file itself; only `prisma migrate deploy` needs the address.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
