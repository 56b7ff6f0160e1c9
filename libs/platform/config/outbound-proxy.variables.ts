import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from './read-variables.js';
import { filePath, urlOf } from './variable-types.js';

/** Without a path: a proxy has none, and a typing error would be lost. */
const proxyUrl = urlOf('http', 'https')
  .refine((value) => !URL.canParse(value) || isBare(new URL(value)), {
    message: 'expected an address without a path, a query and a fragment',
  })
  .refine((value) => !URL.canParse(value) || hasReadableUser(new URL(value)), {
    message: 'expected a percent-encoded user and password',
  });

const isBare = ({ pathname, search, hash }: URL): boolean =>
  (pathname === '/' || pathname === '') && search === '' && hash === '';

function hasReadableUser({ username, password }: URL): boolean {
  try {
    return !decodeURIComponent(username).includes(':') && decodeURIComponent(password) !== '\0';
  } catch {
    return false;
  }
}

const USER_AND_PASSWORD = /^[^:\r\n]+:[^\r\n]*$/;

export const outboundProxyVariables = {
  OUTBOUND_PROXY_URL: proxyUrl.optional().meta({
    takes: '`http://…`, `https://…`',
    byDefault: 'that of `HTTPS_PROXY`',
    description:
      'The [proxy](#the-outbound-proxy) for all requests to other servers, with or without a user and a password.',
  }),
  OUTBOUND_PROXY_AUTH_FILE: filePath.optional().meta({
    description: 'A file with `user:password` for the proxy, in place of those in its address.',
  }),
  OUTBOUND_PROXY_CA_FILE: filePath.optional().meta({
    byDefault: "the system's",
    description:
      'The certificate authority of the proxy itself, in PEM, for an address with `https://`. It is not trusted for the servers behind it.',
  }),
  HTTPS_PROXY: proxyUrl.optional().meta({
    takes: '`http://…`, `https://…`',
    byDefault: 'that of `https_proxy`',
    description: 'The proxy, when `OUTBOUND_PROXY_URL` is not set.',
  }),
  https_proxy: proxyUrl.optional().meta({
    takes: '`http://…`, `https://…`',
    description: 'The proxy, when neither of the two is set.',
  }),
  NO_PROXY: z.string().optional().meta({
    takes: 'list',
    byDefault: 'that of `no_proxy`',
    description:
      'Hosts that are reached without the proxy: `*`, names, `.suffixes`, addresses and networks. A name does not stand for the names below it.',
  }),
  no_proxy: z
    .string()
    .optional()
    .meta({ takes: 'list', description: 'The same, when `NO_PROXY` is not set.' }),
};

/** The proxy for outgoing connections. */
export interface OutboundProxyConfig {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** `user:password`; secret. */
  readonly credentials: string | null;
  readonly caFile: string | undefined;
  /** As in the environment. */
  readonly noProxy: string;
}

type Values = z.infer<z.ZodObject<typeof outboundProxyVariables>>;

/** Null without a proxy, and when every server is exempt. Throws ConfigError for a sign-in that cannot be read. */
export function outboundProxyFrom(values: Values): OutboundProxyConfig | null {
  const url = values.OUTBOUND_PROXY_URL ?? values.HTTPS_PROXY ?? values.https_proxy;
  const noProxy = values.NO_PROXY ?? values.no_proxy ?? '';
  if (url === undefined || noProxy.split(/[\s,]+/).includes('*')) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const isTls = protocol === 'https:';
  const user = [username, password].map((part) => decodeURIComponent(part)).join(':');
  const { OUTBOUND_PROXY_AUTH_FILE: authFile } = values;
  return {
    isTls,
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    credentials: authFile === undefined ? (user === ':' ? null : user) : signInOf(authFile),
    caFile: values.OUTBOUND_PROXY_CA_FILE,
    noProxy,
  };
}

function signInOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // Node's errors of files have one.
    throw new ConfigError([`OUTBOUND_PROXY_AUTH_FILE (${file}) cannot be read (${code})`]);
  }
  if (USER_AND_PASSWORD.test(text)) return text;
  throw new ConfigError([`OUTBOUND_PROXY_AUTH_FILE (${file}): expected one line, user:password`]);
}
