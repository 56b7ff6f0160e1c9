import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

/** The part in use of a global that only the compiler's browser library declares. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/**
 * The SQL that leads from one Prisma schema to another; an empty `from` stands for an empty database.
 *
 * The engine asks a running server (any, nothing is written) for the dialect it speaks.
 * Uses the schema engine's WebAssembly build, which needs no download, unlike the command line's.
 * A tool for developers and tests only: the engine's interface is an internal one of Prisma.
 */
export async function sqlBetweenSchemas(
  from: string,
  to: string,
  databaseUrl: string,
): Promise<string> {
  await loadEngine();
  const adapter = new PrismaPg({ connectionString: databaseUrl });
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [['schema.prisma', to]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
  try {
    const result = await engine.diff({
      from: target(from),
      to: target(to),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return result.stdout ?? '';
  } finally {
    engine.free();
  }
}

const target = (content: string): engineModule.DiffTarget =>
  content === ''
    ? { tag: 'empty' }
    : { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] };

async function loadEngine(): Promise<void> {
  const path = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': engineModule,
  });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
}
