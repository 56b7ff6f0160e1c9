import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext, Progress } from './command.js';
import { compileOnChange, developmentOptions } from './development.js';
import { withLifetime } from './lifetime.js';
import { type LocalStack, startLocalStack } from './local-stack.js';

/** `npm start` and `npm run watch`: runs everything until Ctrl-C. */
export async function run(context: CommandContext): Promise<number> {
  const development = developmentOptions(context.args);
  const outcome = await withLifetime(context.progress, async (lifetime) => {
    printBanner(await startLocalStack(context, lifetime, development), context.progress);
    if (development.watches) compileOnChange(context, lifetime);
    // Until a signal: the processes of the supervisor keep this process alive.
    return new Promise<never>(() => undefined);
  });
  // A signal is the regular end of this command.
  return typeof outcome === 'number' ? outcome : 0;
}

interface DemoWorld {
  readonly demo_page: { readonly url: string };
  readonly users: {
    readonly alice: { email: string; password: string };
    readonly bob: { email: string; api_key: string };
  };
}

/** Prints the addresses of everything, and the first commands to try. */
function printBanner(stack: LocalStack, progress: Progress): void {
  const lines = [
    '',
    progress.paint('bold', 'Carillon is up.'),
    '',
    `  Gateway      ${stack.gatewayUrl}`,
    `  API pages    ${stack.gatewayUrl}/docs`,
    `  Push inbox   ${stack.sandboxUrl}`,
    `  Ops page     ${stack.gatewayUrl}/ops`,
    `  Ops token    ${stack.opsTokenPlace}`,
    `  Data         ${stack.dataDir}`,
  ];
  if (stack.hasDemoWorld) {
    lines.push(...firstSteps(stack, progress));
  }
  lines.push('', progress.paint('dim', 'Ctrl-C stops everything; the data stays.'), '');
  for (const line of lines) progress.print(line);
}

function firstSteps({ dataDir, gatewayUrl }: LocalStack, progress: Progress): string[] {
  // The seed writes this file in this shape.
  const world = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as DemoWorld;
  // The demonstration replaces the API key of Alice; that of Bob stays valid.
  const { alice, bob } = world.users;
  const call = (what: string) =>
    `  curl -sS -u '${bob.email}:${bob.api_key}' '${gatewayUrl}/api/v1/${what}'`;
  const token = 'bobs-demo-phone';
  return [
    `  Demo page    ${world.demo_page.url}`,
    `  Sign in as   ${alice.email}, password ${alice.password}`,
    '',
    progress.paint('dim', '  # report that Bob is here, and see who else is'),
    `${call('users/me/presence')} -d status=active -d last_update_id=-1`,
    progress.paint('dim', '  # register an Android phone of his'),
    `${call('users/me/android_gcm_reg_id')} -d token=${token}`,
    progress.paint('dim', '  # send it a test notification, then look at the push inbox'),
    `${call('mobile_push/test_notification')} -d token=${token}`,
  ];
}
