import { z } from 'zod';
import { ConfigError } from './read-variables.js';
import { filePath, flag, list, port } from './variable-types.js';

/** The services of the browsers: Mozilla, Google, Apple and Microsoft. */
const serviceHosts = [
  '*.push.services.mozilla.com',
  'fcm.googleapis.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

const LABELS = /^(?:\*\.)?[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/;
const isPattern = (item: string): boolean =>
  item === '*' || (LABELS.test(item) && !/(?:^|\.)\d+$/.test(item));

const hostPatterns = list
  .transform((items) => items.map((item) => item.toLowerCase()))
  .refine((items) => items.every(isPattern), {
    message: 'expected names, *.names or *, with commas between, and without ports',
  })
  .meta({ takes: 'list of `*`, names and `*.names`' });

const ports = list
  .refine((items) => items.every((item) => port.safeParse(item).success), {
    message: 'expected ports with commas between',
  })
  .transform((items) => items.map(Number))
  .meta({ takes: 'list of ports' });

/** Where subscriptions may lead: gateways check it at the registration, push workers at each push. */
export const webPushHostVariables = {
  WEB_PUSH_HOSTS: hostPatterns.default(serviceHosts).meta({
    isShared: true,
    description:
      'The hosts of push services that subscriptions may name; `*` for all, as UnifiedPush asks for. `*.name` stands for the names below a name.',
  }),
  WEB_PUSH_PORTS: ports.default([]).meta({
    isShared: true,
    description: 'Ports of push services beside 443.',
  }),
  WEB_PUSH_PRIVATE_HOSTS: hostPatterns.default([]).meta({
    isShared: true,
    description:
      'Hosts that may have addresses of private networks, and names without a dot. Otherwise no push goes to a name of which any address is not public.',
  }),
};

type HostValues = z.infer<z.ZodObject<typeof webPushHostVariables>>;

/** Where subscriptions may lead. */
export const webPushEndpointsOf = (values: HostValues) => ({
  hosts: values.WEB_PUSH_HOSTS,
  ports: values.WEB_PUSH_PORTS,
  privateHosts: values.WEB_PUSH_PRIVATE_HOSTS,
});

const isContact = (text: string): boolean =>
  /^mailto:[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(text) || isPublicPage(text);

/** Apple refuses an address of this machine. */
const isPublicPage = (text: string): boolean =>
  text.startsWith('https://') &&
  URL.canParse(text) &&
  new URL(text).hostname.includes('.') &&
  !new URL(text).hostname.endsWith('.localhost');

export const webPushVariables = {
  ...webPushHostVariables,
  WEB_PUSH_CONTACT: z
    .string()
    .refine(isContact, {
      message:
        'expected mailto: with an address, or https:// with the address of a page, which push services can reach',
    })
    .optional()
    .meta({
      takes: '`mailto:…`, `https://…`',
      byDefault: '`EXTERNAL_URL`, if it begins with `https://`',
      description:
        'Whom the operators of push services write to when there is a problem. It goes with each push. Without it no web push is sent.',
    }),
  WEB_PUSH_CA_FILE: filePath.optional().meta({
    byDefault: "the system's",
    description:
      'The certificate authority to trust in place of those of the system, in PEM. Only the push sandbox needs it.',
  }),
  WEB_PUSH_PROXY_FILTERS_PRIVATE: flag.default(false).meta({
    description:
      'Confirms that the [outbound proxy](#the-outbound-proxy) opens no tunnel to a private address. Without it a worker with a proxy does not start with `WEB_PUSH_HOSTS=*`.',
  }),
};

type Values = z.infer<z.ZodObject<typeof webPushVariables>>;

/** Throws ConfigError if clients could have a proxy connect to private addresses. */
export function webPushOf(values: Values, externalUrl: string, hasProxy: boolean) {
  const isOpen = values.WEB_PUSH_HOSTS.includes('*');
  if (hasProxy && isOpen && !values.WEB_PUSH_PROXY_FILTERS_PRIVATE) {
    throw new ConfigError([
      'WEB_PUSH_HOSTS is *, and the outbound proxy resolves the names that users choose: set WEB_PUSH_PROXY_FILTERS_PRIVATE=true if it refuses private addresses, or name the hosts',
    ]);
  }
  return {
    endpoints: webPushEndpointsOf(values),
    /** Null: nothing can be sent. */
    contact: values.WEB_PUSH_CONTACT ?? (isPublicPage(externalUrl) ? externalUrl : null),
    caFile: values.WEB_PUSH_CA_FILE,
  };
}
