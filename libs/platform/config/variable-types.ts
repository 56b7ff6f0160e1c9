import { normalizedHost } from '#platform/contracts';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { databaseFault } from './database-address.js';
import { redisFault } from './redis-address.js';
import type { ServerAddress } from './server-address.js';

/** A whole number within bounds. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, `expected a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, {
      message: `expected a whole number from ${least} to ${most}`,
    })
    .meta({ takes: `${least} to ${most}` });

/** A ratio from 0 to 1, with a decimal point. */
export const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'expected a number from 0 to 1')
  .transform(Number)
  .meta({ takes: '0 to 1' });

export const port = wholeNumber(1, 65_535);

/** `true` or `false` only: a typing error must not count as either. */
export const flag = z
  .enum(['true', 'false'], { message: 'expected true or false' })
  .transform((value) => value === 'true')
  .meta({ takes: 'flag' });

/** A URL of one of the given protocols, such as `postgresql://…`. */
export const urlOf = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1)),
      {
        message: `expected an address that begins with ${protocols.map((p) => `${p}://`).join(' or ')}`,
      },
    )
    .meta({ takes: protocols.map((p) => `\`${p}://…\``).join(', ') });

/** The address of a PostgreSQL database. */
export const databaseUrl = z
  .string()
  .superRefine((value, context) => {
    const fault = databaseFault(value);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({ takes: '`postgresql://…`, `postgres://…`' });

/** The address of a Redis, or of the Sentinels that know it. */
export const redisAddress = z
  .string()
  .superRefine((value, context) => {
    const fault = redisFault(value);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({ takes: '`redis://…`, `rediss://…`, `redis+sentinel://…`' });

/** A host name without a port. */
export const hostName = z.string().meta({ takes: 'host name' });

/** A file or a folder, absolute or relative to the working directory. */
export const filePath = z.string().meta({ takes: 'path' });

/** The variable of a file that has the value of another variable, for secrets. */
export const fileOf = (name: string) =>
  filePath.optional().meta({
    byDefault: 'none',
    description: `The file to read it from when \`${name}\` is not set.`,
  });

/** A comma-separated list; spaces around the items are ignored. */
export const list = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .meta({ takes: 'list' });

/** A list of hosts, each with or without a port, in the form of `normalizedHost`. */
export const hosts = list
  .refine((items) => items.every((item) => normalizedHost(item) !== null), 'expected hosts')
  .transform((items) => items.map((item) => normalizedHost(item) ?? item))
  .meta({ takes: 'list of hosts' });

/** The address of a Redis or of its Sentinels, or those of several nodes of a cluster. */
export const redisServers = z
  .string()
  // The hosts of Sentinels have commas between them too.
  .transform((value) => (value.includes('+sentinel://') ? [value.trim()] : list.parse(value)))
  .meta({ takes: '`redis://…`, `rediss://…`, `redis+sentinel://…`, or several' });

/** Names of networks that the HTTP server knows. */
const NETWORK_NAMES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isNetwork(item: string): boolean {
  const [address = '', range, ...rest] = item.split('/');
  if (rest.length > 0) return false;
  if (range === undefined) return NETWORK_NAMES.has(item) || isIP(item) > 0;
  const bits = isIPv4(address) ? 32 : 128;
  if (isIP(address) === 0) return false;
  if (!/^\d+$/.test(range)) return isIPv4(address) && isIPv4(range);
  return Number(range) > 0 && Number(range) <= bits;
}

/** A comma-separated list of addresses and networks. */
export const networks = list
  .refine((items) => items.every(isNetwork), {
    message:
      'expected addresses or networks with commas between, as 10.0.0.1, 10.0.0.0/8, fd00::/8 or loopback',
  })
  .meta({ takes: 'list of addresses and networks' });

/** A host name or an IP address of this machine. Names are resolved when the port is opened. */
export const listenHost = z
  .string()
  .refine((value) => isIP(value) > 0 || (HOST_NAME.test(value) && !/(?:^|\.)\d+$/.test(value)), {
    message: 'expected a host name or an IP address',
  })
  .meta({ takes: 'address to listen on' });

const HOST_NAME = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;

/** Names outside of the public DNS may also have underscores or a trailing dot. */
const REACHABLE_NAME =
  /^(?=.{1,253}$)[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*\.?$/i;

const isReachableHost = (host: string): boolean =>
  isIPv4(host) || (REACHABLE_NAME.test(host) && !/(?:^|\.)\d+\.?$/.test(host));

/** One `host:port`; null for an invalid item. IPv6 addresses are in brackets. */
function addressIn(item: string): ServerAddress | null {
  const [, inBrackets, plain = '', portText] = /^(?:\[([^\]]*)\]|([^:]+)):(\d+)$/.exec(item) ?? [];
  const { data: portNumber } = port.safeParse(portText);
  const isHost = inBrackets === undefined ? isReachableHost(plain) : isIPv6(inBrackets);
  return isHost && portNumber !== undefined
    ? { host: inBrackets ?? plain, port: portNumber }
    : null;
}

/** A comma-separated list of `host:port`. */
export const addresses = list
  .transform((items) => items.map(addressIn))
  .refine((items) => items.length > 0 && !items.includes(null), {
    message: 'expected host:port, or several with commas between',
  })
  .transform((items) => items.filter((item) => item !== null))
  .meta({ takes: 'address' });

/** One rule of a rate limit: at most `calls` in `seconds`. */
export interface RateRule {
  readonly seconds: number;
  readonly calls: number;
}

/** Rules of a rate limit, `seconds:calls` with commas between, as `60:200,86400:20000`. */
export const rateRules = list
  .refine((items) => items.length > 0 && items.every((item) => /^[1-9]\d*:[1-9]\d*$/.test(item)), {
    message: 'expected seconds:calls, or several with commas between, as in 60:200',
  })
  .transform((items) =>
    items.map((item): RateRule => {
      const [seconds, calls] = item.split(':').map(Number);
      return { seconds: seconds ?? 0, calls: calls ?? 0 };
    }),
  )
  // Two rules of one time would share a counter, and each call would count twice.
  .refine((rules) => new Set(rules.map(({ seconds }) => seconds)).size === rules.length, {
    message: 'expected different times, as in 1:10,60:200',
  })
  .meta({ takes: 'rate rules' });

const MIN_TOKEN_CHARACTERS = 16;

/** A secret that people paste: too long to be guessed. */
export const operatorToken = z
  .string()
  .trim()
  .min(MIN_TOKEN_CHARACTERS, {
    message: `expected at least ${MIN_TOKEN_CHARACTERS} characters, as \`openssl rand -hex 24\` prints them`,
  })
  .meta({ takes: 'text of at least 16 characters' });

/** A secret of 32 bytes, in base64. */
export const secretKey = z
  .string()
  .transform((value) => Buffer.from(value, 'base64'))
  .refine((bytes) => bytes.length === 32, {
    message: 'expected 32 random bytes in base64, as `openssl rand -base64 32` prints them',
  })
  .meta({ takes: '32 bytes in base64' });
