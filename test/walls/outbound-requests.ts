/**
 * The files of the programs that open connections or send requests, each with the way: `proxy` for other servers, which must take
 * the outbound proxy, `inside` for the own installation, which never does. Others use `outboundFetch` or `outboundAgents`.
 */
export const outboundFiles: Readonly<Record<string, 'proxy' | 'inside'>> = {
  'apps/cli/src/doctor/address-check.ts': 'inside',
  'apps/cli/src/doctor/program-checks.ts': 'inside',
  'libs/chat/uploads/storage/s3-file-storage.ts': 'proxy',
  'libs/chat/video-calls/provider-client.ts': 'proxy',
  'libs/platform/outbound/outbound-agents.ts': 'proxy',
  'libs/platform/outbound/outbound-fetch.ts': 'proxy',
  'libs/platform/outbound/outbound-proxy.ts': 'proxy',
  'libs/platform/outbound/tls-connection.ts': 'proxy',
  'libs/platform/telemetry/open-provider.ts': 'proxy',
  'libs/presence/client/client-connection.ts': 'inside',
  'libs/push/providers/apns/node-apn.transport.ts': 'proxy',
  'libs/push/providers/fcm/fcm-token-request.ts': 'proxy',
  'libs/push/providers/fcm/firebase-admin-agent.ts': 'proxy',
  'libs/push/providers/fcm/firebase-admin.transport.ts': 'proxy',
  'libs/push/providers/http2/open-session.ts': 'proxy',
  'libs/push/providers/web/host-connections.ts': 'proxy',
};

/** The libraries that send requests. */
const senders = [
  '@aws-sdk/client-s3',
  '@opentelemetry/exporter-trace-otlp-http',
  '@parse/node-apn',
  'firebase-admin',
  'oauth4webapi',
];

/** The names of Node's modules that open connections. */
const opener = /^(?:get|request|connect|createConnection|Agent|Socket)$/;

/** What a text imports by names, without types. */
function* importsIn(text: string): Generator<readonly [from: string, name: string]> {
  for (const [, clause = '', from = ''] of text.matchAll(
    /^import (?!type )([^;]*?) from '([^']+)';/gms,
  )) {
    const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? ['*'];
    for (const name of names.map((one) => one.trim())) {
      if (name !== '' && !name.startsWith('type ')) yield [from, name.split(' as ')[0] ?? ''];
    }
  }
}

const isSender = (from: string) =>
  senders.some((name) => from === name || from.startsWith(`${name}/`));

const isOfNode = (from: string) => /^node:(?:https?|http2|net|tls)$/.test(from);

/** Whether a file opens connections: by Node's modules, by its `fetch`, or by a library that sends requests. */
export function opensConnections(text: string): boolean {
  // The global one: no member, and no method that is declared.
  if (/(?<![\w.#]|async |fetch: )\bfetch\(\s*(?!\):|\w+\??:)/.test(withoutComments(text)))
    return true;
  if (/\b(?:import|require)\('(?:undici|node:(?:https?|http2|net|tls))'\)/.test(text)) return true;
  return [...importsIn(text)].some(
    ([from, name]) =>
      isSender(from) ||
      from === 'undici' ||
      (isOfNode(from) && (name === '*' || opener.test(name))),
  );
}

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
