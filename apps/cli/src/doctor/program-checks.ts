import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import {
  ConfigError,
  hostAndPort,
  isAnySet,
  memoryNeeds,
  type PushWorkerConfig,
  readApiGatewayConfig,
  readPresenceConfig,
  readPushWorkerConfig,
  type ServerAddress,
} from '#platform/config';
import { containerShortage, errorText } from '#platform/core';
import { z } from 'zod';
import {
  credentialFindings,
  diskFindings,
  type Finding,
  memoryFindings,
  problem,
  readinessFindings,
  unconfiguredFinding,
} from './findings.js';
import { checkProxyOfGateway, checkProxyOfPresence, checkProxyOfWorker } from './proxy-check.js';

type Environment = Readonly<Record<string, string>> | undefined;

/** A program checks each part for two seconds. */
const ANSWER_DEADLINE_MS = 5000;

/** The used part of the answer of `/health/ready`. */
const readiness = z.object({
  failing: z.record(z.string(), z.string()),
  warnings: z.record(z.string(), z.string()).default({}),
});

/** The variables with which each program is asked for its health. */
const HEALTH_PORTS = {
  'api-gateway': 'GATEWAY_METRICS_PORT',
  presence: 'PRESENCE_HEALTH_PORT',
  'push-worker': 'PUSH_HEALTH_PORT',
} as const;

/** Each program needs a store. A shell that has only ports runs `npm start`, which gives the stores to its programs. */
const STORES = ['DATABASE_URL', 'DATABASE_URL_FILE', 'REDIS_URL', 'REDIS_URL_FILE'];

/**
 * Whether a program runs on this host: a store is set, and its port or, where no program has a port, one of its other
 * variables. Compose gives all variables of `.env` to every container, but the port to one.
 */
function runsHere(
  program: keyof typeof HEALTH_PORTS,
  environment: Environment,
  others: readonly string[] = [],
): boolean {
  if (!isAnySet(STORES, environment)) return false;
  if (!isAnySet(Object.values(HEALTH_PORTS), environment)) return isAnySet(others, environment);
  return isAnySet([HEALTH_PORTS[program]], environment);
}

/** Checks the disk of the uploads and the gateway, where a gateway runs. */
export function checkGateway(environment: Environment): Promise<Finding[]> {
  const isHere = runsHere('api-gateway', environment, ['UPLOADS_DIR', 'S3_BUCKET']);
  return withSettings('api-gateway', isHere, readApiGatewayConfig, environment, async (config) => [
    // On another host only the default may be set, which is not there.
    ...(isHere || existsSync(config.uploads.folder) ? await checkDisk(config.uploads) : []),
    // The metrics port says more than the public one.
    ...(isHere ? await checkProxyOfGateway(config) : []),
    ...(isHere ? await checkReadiness('api-gateway', config.metrics ?? config.http) : []),
    ...(isHere ? checkMemory('api-gateway') : []),
  ]);
}

/** Checks presence, where it runs. */
export function checkPresence(environment: Environment): Promise<Finding[]> {
  const isHere = runsHere('presence', environment);
  return withSettings('presence', isHere, readPresenceConfig, environment, async (config) =>
    isHere
      ? [
          ...(await checkProxyOfPresence(config)),
          ...(await checkReadiness('presence', config.health)),
        ]
      : [],
  );
}

const WORKER_VARIABLES = [
  'PUSH_QUEUES',
  'APNS_KEY_FILE',
  'APNS_CERTIFICATE_FILE',
  'PUSH_APPS_FILE',
  'FCM_SERVICE_ACCOUNT_FILE',
];

/** Checks the credentials and the worker, where a push worker runs. */
export function checkWorker(environment: Environment): Promise<Finding[]> {
  const isHere = runsHere('push-worker', environment, WORKER_VARIABLES);
  return withSettings('push-worker', isHere, readPushWorkerConfig, environment, async (config) =>
    isHere
      ? [
          ...(await checkCredentials(config)),
          ...(await checkProxyOfWorker(config)),
          ...(await checkReadiness('push-worker', config.health)),
          ...checkMemory('push-worker'),
        ]
      : [],
  );
}

/** Runs a check with the configuration of a program. An unusable one is a problem only where the program would run. */
async function withSettings<Config>(
  program: string,
  isHere: boolean,
  read: (environment: Environment) => Config,
  environment: Environment,
  check: (config: Config) => Promise<Finding[]>,
): Promise<Finding[]> {
  let config: Config;
  try {
    config = read(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Correct the variables: the program does not start with them.';
    return isHere ? [problem(program, `${error.faults.join('; ')}.`, advice)] : [];
  }
  return check(config);
}

async function checkCredentials({ apns, fcm, unconfigured }: PushWorkerConfig): Promise<Finding[]> {
  const { expiriesOf, readApnsApps, readServiceAccount } = await import('#push/providers');
  const found: Finding[] = unconfigured.map(unconfiguredFinding);
  const advice = 'Correct the file or its variable.';
  if (apns.signIn !== null || apns.appsFile !== null) {
    const part = 'Credentials of Apple';
    const expiries = readApnsApps(apns).then(expiriesOf);
    found.push(
      ...(await expiries.then(
        (all) => credentialFindings(part, all, Date.now()),
        (error: unknown) => [problem(part, errorText(error), advice)],
      )),
    );
  }
  if (fcm.serviceAccountFile !== undefined) {
    const part = 'Credentials of Google';
    found.push(
      ...(await readServiceAccount(fcm.serviceAccountFile).then(
        () => credentialFindings(part, [], Date.now()),
        (error: unknown) => [problem(part, errorText(error), advice)],
      )),
    );
  }
  return found;
}

/** This process is in the container of the program. */
const checkMemory = (program: keyof typeof memoryNeeds): Finding[] =>
  memoryFindings(program, containerShortage(memoryNeeds[program]));

async function checkDisk(uploads: {
  readonly folder: string;
  readonly leastFreeMib: number;
}): Promise<Finding[]> {
  const part = `Uploads in ${uploads.folder}`;
  return statfs(uploads.folder).then(
    ({ bavail, bsize }) => diskFindings(part, bavail * bsize, uploads.leastFreeMib),
    (error: unknown) => [problem(part, errorText(error), 'Check UPLOADS_DIR.')],
  );
}

/** Asks the program on this host whether it is ready. */
async function checkReadiness(program: string, { host, port }: ServerAddress): Promise<Finding[]> {
  const address = hostAndPort({ host: reachable(host), port });
  try {
    const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS);
    const response = await fetch(`http://${address}/health/ready`, { signal });
    return readinessFindings(program, readiness.parse(await response.json()));
  } catch {
    const advice = `Read its log. If it runs on another host, run this command there.`;
    return [problem(program, `It does not answer at ${address}.`, advice)];
  }
}

/** A program that listens on all addresses is asked on the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
