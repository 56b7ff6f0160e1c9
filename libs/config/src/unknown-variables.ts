import { variables as apiGateway } from './api-gateway.config.js';
import { variables as cli } from './cli.config.js';
import { variables as localStack } from './local-stack.config.js';
import { variables as migrate } from './migrate.config.js';
import { variables as presence } from './presence.config.js';
import { variables as pushSandbox } from './push-sandbox.config.js';
import { variables as pushWorker } from './push-worker.config.js';
import { variables as testStores } from './test-stores.config.js';

/** The programs share one file of variables, so that each is given those of the others too. */
const schemas = [
  apiGateway,
  cli,
  localStack,
  migrate,
  presence,
  pushSandbox,
  pushWorker,
  testStores,
];
const known: ReadonlySet<string> = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));

/** What docker-compose.yml reads of that file. */
const readByCompose: ReadonlySet<string> = new Set([
  'APNS_REPLICAS',
  'FCM_REPLICAS',
  'GATEWAY_BIND',
  'REDIS_MAXMEMORY',
  'REDIS_PASSWORD',
]);

/** First words of our names that other software's variables have as well. */
const sharedWords: ReadonlySet<string> = new Set(['OTEL', 'TEST']);

const words: ReadonlySet<string> = new Set(
  [...known]
    .filter((name) => name.includes('_'))
    .map(firstWordOf)
    .filter((word) => !sharedWords.has(word)),
);

/** What Kubernetes tells every container of the services beside it, such as `REDIS_PORT_6379_TCP_ADDR`. */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP)(?:_\w+)?$/;

/**
 * The names in the environment that begin as ours do and that no program reads: most likely typing errors. In
 * ascending order, without values, which may be secrets.
 */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return Object.keys(environment)
    .filter((name) => environment[name] && name.includes('_') && words.has(firstWordOf(name)))
    .filter((name) => !known.has(name) && !readByCompose.has(name))
    .filter((name) => !SERVICE_LINK.test(name) && !environment[name]?.startsWith('tcp://'))
    .toSorted();
}

function firstWordOf(name: string): string {
  return name.slice(0, name.indexOf('_'));
}
