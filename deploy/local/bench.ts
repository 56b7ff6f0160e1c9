import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { areArgumentsKnown, runBench } from '../../bench/run.js';
import type { CommandContext } from './command.js';
import { exitCodeOf, withLifetime } from './lifetime.js';
import { openStores } from './stores.js';

/** `npm run bench`: measures our programs on stores that exist only as long as the run does. */
export async function run(context: CommandContext): Promise<number> {
  if (!areArgumentsKnown(context)) return 1;
  const outcome = await withLifetime(context.progress, async (lifetime) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'carillon-bench-'));
    // As root we run the database as another account, which must pass through.
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
