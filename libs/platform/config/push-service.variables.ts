import { z } from 'zod';
import { ConfigError } from './read-variables.js';
import { flag, hosts, rateRules, wholeNumber } from './variable-types.js';

/** The push service for the servers of other installations. */
export const pushServiceVariables = {
  PUSH_SERVICE_ENABLED: flag.default(false).meta({
    description:
      'Whether this installation is a [push service](push-service.md) for the servers of other installations. It needs `PUSH_KEY_SECRET`.',
  }),
  PUSH_SERVICE_HOSTS: hosts.default([]).meta({
    byDefault: 'every host',
    description:
      'The hosts at which the endpoints for servers answer; at others they refuse with 401.',
  }),
  PUSH_SERVICE_REGISTRATION: z
    .enum(['open', 'closed'], { message: 'expected open or closed' })
    .default('open')
    .meta({ description: 'Whether new servers may register.' }),
  PUSH_SERVICE_CHECK_CONTACTS: flag.default(false).meta({
    description:
      'Whether the domain of the contact address of a server has to have a mail server. It needs DNS.',
  }),
  PUSH_SERVICE_PRIVATE_HOSTS: flag.default(false).meta({
    description:
      'Whether servers with private addresses may transfer their registration: this server sends a request to them.',
  }),
  PUSH_SERVICE_PROXY_FILTERS_PRIVATE: flag.default(false).meta({
    description:
      'Confirms that the [outbound proxy](#the-outbound-proxy) opens no tunnel to a private address. Without it a gateway with a proxy does not start as a push service, unless `PUSH_SERVICE_PRIVATE_HOSTS` is set.',
  }),
  PUSH_SERVICE_SUPPORT_EMAIL: z.string().optional().meta({
    byDefault: '`support@` and the host of `EXTERNAL_URL`',
    description: 'Named to servers that cannot end a transfer because of the limit of all servers.',
  }),
  PUSH_SERVICE_MAX_DEVICES: wholeNumber(1, 100_000_000).default(1_000_000).meta({
    description:
      'Phones that one server may register, unless `carillon servers limit` sets another number. Counts are up to a minute old.',
  }),
  RATE_LIMIT_SERVER: rateRules.default([{ seconds: 60, calls: 1000 }]).meta({
    description:
      'Requests of one server but uploads. The same limit holds for its refused uploads; a larger one counts once for each 16 KiB.',
  }),
  RATE_LIMIT_SERVER_PUSHES: rateRules.default([{ seconds: 10, calls: 20_000 }]).meta({
    description:
      'Devices that one server notifies. The request that passes the limit is still accepted; the next one is refused.',
  }),
  RATE_LIMIT_SERVER_UPLOADS: rateRules.default([{ seconds: 60, calls: 5000 }]).meta({
    description:
      'Uploads of one server, and its questions for the last one. A larger upload counts once for each 16 KiB.',
  }),
  RATE_LIMIT_NEW_SERVERS: rateRules
    .default([{ seconds: 86_400, calls: 20 }])
    .meta({ description: 'New servers from one address.' }),
};

type PushServiceValues = z.infer<z.ZodObject<typeof pushServiceVariables>>;

/** Throws ConfigError if strangers could have a proxy connect to private addresses: they name the hosts of transfers. */
export function assertProxyFilters(values: PushServiceValues, hasProxy: boolean): void {
  if (!hasProxy || !values.PUSH_SERVICE_ENABLED || values.PUSH_SERVICE_PRIVATE_HOSTS) return;
  if (values.PUSH_SERVICE_PROXY_FILTERS_PRIVATE) return;
  throw new ConfigError([
    'PUSH_SERVICE_ENABLED is set, and the outbound proxy resolves the names of other servers: set PUSH_SERVICE_PROXY_FILTERS_PRIVATE=true if it refuses private addresses',
  ]);
}

/** Null without a push service for other servers. Throws ConfigError if its secret is missing. */
export function pushServiceOf(
  values: PushServiceValues,
  keySecret: Buffer | null,
  externalHost: string,
) {
  if (!values.PUSH_SERVICE_ENABLED) return null;
  if (keySecret === null) {
    throw new ConfigError(['PUSH_KEY_SECRET is not set, and PUSH_SERVICE_ENABLED needs it']);
  }
  return {
    hosts: values.PUSH_SERVICE_HOSTS,
    isOpen: values.PUSH_SERVICE_REGISTRATION === 'open',
    checksContacts: values.PUSH_SERVICE_CHECK_CONTACTS,
    allowsPrivateHosts: values.PUSH_SERVICE_PRIVATE_HOSTS,
    supportEmail: values.PUSH_SERVICE_SUPPORT_EMAIL ?? `support@${externalHost}`,
    devicesOfServer: values.PUSH_SERVICE_MAX_DEVICES,
    rateLimits: {
      requests: values.RATE_LIMIT_SERVER,
      pushes: values.RATE_LIMIT_SERVER_PUSHES,
      uploads: values.RATE_LIMIT_SERVER_UPLOADS,
      newServers: values.RATE_LIMIT_NEW_SERVERS,
    },
  };
}
