import { printBanner } from './banner.js';
import type { CommandContext } from './command.js';
import { withLifetime } from './lifetime.js';
import { startLocalStack } from './local-stack.js';

/** `npm start`: runs everything until Ctrl-C. */
export async function run(context: CommandContext): Promise<number> {
  const outcome = await withLifetime(context.progress, async (lifetime) => {
    printBanner(await startLocalStack(context, lifetime), context.progress);
    // Until a signal: the supervisor has timers and processes that keep this process alive.
    return new Promise<never>(() => undefined);
  });
  // To be stopped is how this command ends well.
  return typeof outcome === 'number' ? outcome : 0;
}
