import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type WebPushAccess, webToken } from '../limits/bare-web-push.js';
import type { OurProgram } from '../processes/our-programs.js';
import { BROWSER_SERVICE } from '../world/browser-service.js';
import { startPush } from './push-world.js';
import type { Bench } from './scenario.js';

const AT_A_TIME = 16;
const PROGRAMS: readonly OurProgram[] = ['api-gateway', 'push-worker', 'push-sandbox'];

/** The programs, and how to reach the browsers' push service. */
export interface WebPushPlaces {
  readonly gatewayPort: number;
  readonly sandboxUrl: string;
  readonly web: WebPushAccess;
}

/** Runs the programs with a push service for browsers under a known name during the work, and stops them afterwards. */
export async function withBrowsers<Result>(
  bench: Bench,
  name: string,
  work: (places: WebPushPlaces) => Promise<Result>,
): Promise<Result> {
  const { programs, progress } = bench;
  const stopAll = async () => {
    for (const program of PROGRAMS) await programs.stopOne(program);
  };
  await stopAll();
  const module = path.join(
    bench.place.root,
    'dist/bench/processes/browser-service-name.process.js',
  );
  await progress.step(`${name}: a service for browsers`, async () => {
    await programs.start('push-sandbox', { environment: { SANDBOX_PUBLIC_HOST: BROWSER_SERVICE } });
    await programs.start('push-worker', {
      nodeArgs: [`--import=${pathToFileURL(module).href}`],
      environment: {
        WEB_PUSH_HOSTS: BROWSER_SERVICE,
        WEB_PUSH_PRIVATE_HOSTS: BROWSER_SERVICE,
      },
    });
  });
  try {
    const { gatewayPort, sandboxUrl, apns } = await startPush(bench, name);
    const port = programs.parts.config.ports.sandboxWeb;
    const web = { host: BROWSER_SERVICE, port, caFile: apns.caFile };
    return await work({ gatewayPort, sandboxUrl, web });
  } finally {
    await stopAll();
  }
}

/** Browsers of accounts, with confirmed subscriptions. */
export interface Browsers {
  /** The id of the last subscription of each account. */
  readonly ids: ReadonlyMap<number, number>;
  /** For a bare sender. */
  readonly tokens: readonly string[];
}

/** Lets a browser of the sandbox subscribe for each of these accounts. */
export async function addBrowsers(
  { web, programs }: Bench,
  sandboxUrl: string,
  userIds: readonly number[],
): Promise<Browsers> {
  const subscriptions: Parameters<typeof web.createSubscriptions>[0][number][] = [];
  const rest = userIds.values();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const userId of rest) subscriptions.push({ userId, ...(await subscribe(sandboxUrl)) });
    }),
  );
  const keyId = await web.makeKey(programs.parts.pushKeySecret);
  const ids = await web.createSubscriptions(subscriptions, keyId);
  const tokens = subscriptions.map(({ endpoint, p256dh, auth }) =>
    webToken({ path: new URL(endpoint).pathname, p256dh, auth }),
  );
  return { ids, tokens };
}

async function subscribe(sandboxUrl: string) {
  const response = await fetch(`${sandboxUrl}/api/browsers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  // The sandbox documents this format.
  return (await response.json()) as { endpoint: string; p256dh: string; auth: string };
}
