import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

/** The used part of a global that only the DOM library of TypeScript declares. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/**
 * The SQL that migrates one Prisma schema to another; an empty `from` stands for an empty database.
 *
 * The engine connects to a running server only to detect its dialect, and writes nothing. It is the WebAssembly build
 * of Prisma's schema engine, which needs no download, unlike the command line. Only for developers and tests: the
 * interface of the engine is internal to Prisma.
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
