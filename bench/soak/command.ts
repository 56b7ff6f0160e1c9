import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorText } from '#platform/core';
import type { CommandContext } from '../../deploy/local/command.js';
import { exitCodeOf, withLifetime } from '../../deploy/local/lifetime.js';
import { openStores } from '../../deploy/local/stores.js';
import { type SoakPlan, soakPlanOf } from './soak-plan.rules.js';
import { runSoak } from './soak.js';

/** `npm run soak`: loads the programs for a long time, on durable stores that are removed after the run. */
export async function run(context: CommandContext): Promise<number> {
  const { root, progress, args } = context;
  let plan: SoakPlan;
  try {
    plan = soakPlanOf(args);
  } catch (error) {
    progress.print(errorText(error));
    return 1;
  }
  const outcome = await withLifetime(progress, async (lifetime) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'carillon-soak-'));
    // As root, PostgreSQL runs as another account, which must be able to enter this folder.
    chmodSync(folder, 0o711);
    lifetime.removeAtEnd(folder);
    // With autovacuum and durable commits, as in production.
    const stores = await openStores(
      { root, folder, isThrowaway: false, given: {}, progress },
      lifetime,
    );
    return runSoak({ ...context, plan, lifetime, stores, folder });
  });
  return typeof outcome === 'number' ? outcome : exitCodeOf(outcome);
}
