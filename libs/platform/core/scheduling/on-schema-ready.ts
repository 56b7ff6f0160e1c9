/**
 * A hook of a provider like those of Nest, for work in the background that uses PostgreSQL. DatabaseModule calls it once,
 * when the database has the schema of this release.
 *
 * A program may start before the migration: its work would fail on the old schema, and keep leased rows from the programs
 * of the previous release.
 */
export interface OnSchemaReady {
  onSchemaReady(): void;
}

/** Whether a provider has the hook. */
export const hasSchemaHook = (provider: unknown): provider is OnSchemaReady =>
  typeof provider === 'object' &&
  provider !== null &&
  'onSchemaReady' in provider &&
  typeof provider.onSchemaReady === 'function';
