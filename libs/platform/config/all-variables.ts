import { z } from 'zod';
import { apiGatewayVariables } from './api-gateway.config.js';
import {
  containersTestVariables,
  localStackVariables,
  pushSandboxVariables,
  testStoresVariables,
} from './local-stack.config.js';
import { presenceVariables } from './presence.config.js';
import { pushWorkerVariables } from './push-worker.config.js';
import { cliVariables, migrateVariables } from './tools.config.js';

/** The schemas of all programs. A variable of several programs is explained by the first of them. */
const schemas = [
  apiGatewayVariables,
  presenceVariables,
  pushWorkerVariables,
  pushSandboxVariables,
  localStackVariables,
  migrateVariables,
  cliVariables,
  testStoresVariables,
  containersTestVariables,
];

/** Programs share one file of variables, so that each program also receives the variables of the others. */
const known: ReadonlySet<string> = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));

/** Variables of that file that only docker-compose.yml reads. */
const readByCompose: ReadonlySet<string> = new Set([
  'GATEWAY_BIND',
  'GATEWAY_REPLICAS',
  'GRAFANA_PASSWORD',
  'INNER_SUBNET',
  'POSTGRES_MEMORY',
  'PRESENCE_REPLICAS',
  'PROXY_OPEN_FILES',
  'PUSH_REPLICAS',
  'REDIS_MAXMEMORY',
  'REDIS_MEMORY',
  'REDIS_PASSWORD',
  'VERSION',
]);

/** Variables of other software that start with a word of ours. */
const foreign: ReadonlySet<string> = new Set(['HTTP_PROXY']);

/** First words that the variables of other software share with ours. */
const sharedWords: ReadonlySet<string> = new Set(['HTTPS', 'NO', 'OTEL', 'TEST', 'https', 'no']);

const words: ReadonlySet<string> = new Set(
  [...known]
    .filter((name) => name.includes('_'))
    .map(firstWordOf)
    .filter((word) => !sharedWords.has(word)),
);

/** Kubernetes sets these for each service, such as `REDIS_PORT_6379_TCP_ADDR`. */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP)(?:_\w+)?$/;

/**
 * The names in the environment that start with a word of ours and that no program reads: probably typing errors. In
 * ascending order, and without values, which may be secrets.
 */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return Object.keys(environment)
    .filter((name) => environment[name] && name.includes('_') && words.has(firstWordOf(name)))
    .filter((name) => !known.has(name) && !readByCompose.has(name) && !foreign.has(name))
    .filter((name) => !SERVICE_LINK.test(name) && !environment[name]?.startsWith('tcp://'))
    .toSorted();
}

function firstWordOf(name: string): string {
  return name.slice(0, name.indexOf('_'));
}

/** The entry of one variable in docs/configuration.md. The texts are Markdown. */
interface VariableReference {
  readonly takes: string;
  /** The default value; `required` or `none` for a variable without one. */
  readonly byDefault: string;
  readonly meaning: string;
}

/** Throws Error for a variable that no declaration explains. */
export function variableReference(name: string): VariableReference {
  for (const { shape } of schemas) {
    const schema = (shape as z.ZodRawShape)[name];
    const { description, takes, byDefault } = (schema && z.globalRegistry.get(schema)) ?? {};
    if (schema !== undefined && description !== undefined) {
      return {
        takes: textOf(takes) ?? takesOf(schema),
        byDefault: textOf(byDefault) ?? defaultOf(schema),
        meaning: description,
      };
    }
  }
  throw new Error(`No declaration explains the variable ${name}`);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The schema that a default or an optional value wraps. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return schema.def.innerType;
  }
  return null;
}

function takesOf(schema: z.core.$ZodType): string {
  const takes = textOf(z.globalRegistry.get(schema)?.['takes']);
  if (takes !== undefined) return takes;
  const inner = innerOf(schema);
  if (inner !== null) return takesOf(inner);
  if (schema instanceof z.ZodEnum) return schema.options.map((one) => `\`${one}\``).join(', ');
  return 'text';
}

function defaultOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodDefault) return shown(schema.def.defaultValue);
  return schema instanceof z.ZodOptional ? 'none' : 'required';
}

/** A default in the form of the environment. */
function shown(value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  return items.length === 0 ? 'none' : `\`${items.map(written).join(',')}\``;
}

function written(item: unknown): string {
  // The only objects are rate limit rules and addresses.
  return typeof item === 'object' && item !== null ? Object.values(item).join(':') : String(item);
}
