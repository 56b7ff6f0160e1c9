import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandContext } from '../deploy/local/command.js';
import { exitCodeOf, withLifetime } from '../deploy/local/lifetime.js';
import { openStores } from '../deploy/local/stores.js';
import { areArgumentsKnown, runBench } from './run.js';

/** `npm run bench`: measures the programs on temporary stores, which are removed after the run. */
export async function run(context: CommandContext): Promise<number> {
  if (!areArgumentsKnown(context)) return 1;
  const outcome = await withLifetime(context.progress, async (lifetime) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'carillon-bench-'));
    // As root, PostgreSQL runs as another account, which must be able to enter this folder.
    chmodSync(folder, 0o711);
    lifetime.removeAtEnd(folder);
    const { root, progress } = context;
    const stores = await openStores(
      { root, folder, isThrowaway: true, given: {}, progress },
      lifetime,
    );
    return runBench({ ...context, lifetime, stores, folder });
  });
  return typeof outcome === 'number' ? outcome : exitCodeOf(outcome);
}
