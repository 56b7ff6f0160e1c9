import { once } from 'node:events';
import type { ApiGatewayConfig, PresenceConfig, PushWorkerConfig } from '#platform/config';
import { errorCode, errorText } from '#platform/core';
import {
  beginTlsThrough,
  type OutboundProxy,
  readAuthority,
  readOutboundProxy,
  serverOf,
} from '#platform/outbound';
import { platformQueue, type Platform, pushLanes } from '#push/jobs';
import { type Finding, ok, problem } from './findings.js';

const ANSWER_DEADLINE_MS = 5000;
const HTTPS_PORT = 443;

/** A server that a worker reaches through the proxy. */
interface Destination {
  readonly host: string;
  readonly port: number;
  /** The file of the authority in PEM and its variable; those of the system when left out. */
  readonly authority?: readonly [variable: string, file: string | undefined];
  /** Whether HTTP/2 is needed. */
  readonly needsHttp2?: boolean;
  /** Whether the connection is encrypted; true when left out. */
  readonly isTls?: boolean;
}

/** A program's way to other servers. */
type ProxyConfig = Pick<PresenceConfig, 'outboundProxy' | 'tracing'>;

/** Tries the way of a worker through its proxy to each of its servers, and names the first step that fails; none without a proxy. */
export const checkProxyOfWorker = (config: PushWorkerConfig): Promise<Finding[]> =>
  checkProxy(config, () => serversOfWorker(config));

/** The same for a gateway. */
export const checkProxyOfGateway = (config: ApiGatewayConfig): Promise<Finding[]> =>
  checkProxy(config, () => Promise.resolve(serversOfGateway(config)));

/** The same for a program that sends spans only. */
export const checkProxyOfPresence = (config: PresenceConfig): Promise<Finding[]> =>
  checkProxy(config, () => Promise.resolve([]));

async function checkProxy(
  { outboundProxy, tracing }: ProxyConfig,
  others: () => Promise<readonly Destination[]>,
): Promise<Finding[]> {
  let proxy: OutboundProxy | undefined;
  try {
    proxy = await readOutboundProxy(outboundProxy);
  } catch (error) {
    return [problem('Outbound proxy', errorText(error), 'Correct the file or its variable.')];
  }
  if (proxy === undefined) return [];
  const collector = tracing === null ? [] : [serverOf(new URL(tracing.endpoint))];
  const destinations = new Map(
    [...(await others()), ...collector].map((one) => [`${one.host}:${one.port}`, one] as const),
  );
  return Promise.all(
    [...destinations.values()]
      .filter(({ host, port }) => proxy.isFor(host, port))
      .map((destination) => checkWay(proxy, destination)),
  );
}

async function serversOfWorker(config: PushWorkerConfig): Promise<readonly Destination[]> {
  const { apns, fcm, webPush, relay, feedback, queues } = config;
  const isServed = (platform: Platform) =>
    pushLanes.some((lane) => queues.includes(platformQueue(platform, lane)));
  const sendsToApple = apns.signIn !== null || apns.appsFile !== null;
  const receiver = feedback.webhook && new URL(feedback.webhook.url);
  return [
    ...(relay === null && isServed('apns') && sendsToApple ? servers(apns) : []),
    ...(relay === null && isServed('fcm') ? await serversOfGoogle(fcm) : []),
    ...(isServed('web') && webPush.contact !== null ? await pushServices(webPush) : []),
    ...(receiver === null ? [] : [serverOf(receiver)]),
    ...(relay === null ? [] : [serverOf(new URL(relay.url))]),
  ];
}

/** Not those of transfers, which others name, and not Amazon, whose addresses the client of S3 knows. */
function serversOfGateway({ push, uploads, videoCalls }: ApiGatewayConfig): Destination[] {
  const { webex, zoom } = videoCalls;
  const urls = [push.relay?.url, uploads.s3?.endpoint, webex?.apiUrl, zoom?.oauthUrl, zoom?.apiUrl];
  return urls.filter((url) => url !== undefined).map((url) => serverOf(new URL(url)));
}

const servers = ({ environments, hosts, caFile }: PushWorkerConfig['apns']): Destination[] =>
  environments.map((environment) => ({
    ...hosts[environment],
    authority: ['APNS_CA_FILE', caFile],
    needsHttp2: true,
  }));

async function serversOfGoogle({
  host,
  port,
  caFile,
  driver,
  serviceAccountFile,
}: PushWorkerConfig['fcm']): Promise<Destination[]> {
  if (serviceAccountFile === undefined) return [];
  const { readServiceAccount } = await import('#push/providers');
  const authority = ['FCM_CA_FILE', caFile] as const;
  // The check of the credentials reports a faulty file.
  const read = await readServiceAccount(serviceAccountFile).catch(() => null);
  return [
    ...(read === null ? [] : [{ ...serverOf(new URL(read.account.tokenUri)), authority }]),
    { host, port, authority, needsHttp2: driver === 'http2' },
  ];
}

/** Users choose others, and what a service calls its servers is not known. */
async function pushServices({
  endpoints,
  caFile,
}: PushWorkerConfig['webPush']): Promise<Destination[]> {
  const { isEndpointAllowed, USUAL_SERVICE_HOSTS } = await import('#push/providers');
  return USUAL_SERVICE_HOSTS.map((host) => ({ host, port: HTTPS_PORT }))
    .filter((service) => isEndpointAllowed(service, endpoints))
    .map((service) => ({ ...service, authority: ['WEB_PUSH_CA_FILE', caFile] }));
}

async function checkWay(proxy: OutboundProxy, destination: Destination): Promise<Finding> {
  const part = `Way to ${destination.host}:${destination.port}`;
  const page = 'docs/configuration.md, "The outbound proxy".';
  try {
    const failure = await tryWay(proxy, destination);
    return failure === null
      ? ok(part, `The proxy ${proxy.name} leads there.`)
      : problem(part, failure, `Switch inspection of TLS off for this host: ${page}`);
  } catch (error) {
    const text = `There is no tunnel: ${errorText(error)}.`;
    return problem(part, text, `Let the proxy open tunnels there: ${page}`);
  }
}

/** Why the tunnel is of no use; null if it is. Rejects without a tunnel. */
async function tryWay(
  proxy: OutboundProxy,
  { host, port, authority, needsHttp2 = false, isTls = true }: Destination,
): Promise<string | null> {
  const ca = authority && (await readAuthority(...authority));
  const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS);
  if (!isTls) {
    (await proxy.connect(host, port, signal)).destroy();
    return null;
  }
  const server = { host, port, ALPNProtocols: ['h2', 'http/1.1'], ...(ca !== undefined && { ca }) };
  const socket = await beginTlsThrough(proxy, server, signal);
  try {
    await once(socket, 'secureConnect', { signal });
    const hasHttp2 = socket.alpnProtocol === 'h2';
    return needsHttp2 && !hasHttp2 ? 'There is no HTTP/2 in the tunnel.' : null;
  } catch (error) {
    return `TLS fails in the tunnel: ${errorCode(error) ?? errorText(error)}.`;
  } finally {
    socket.destroy();
  }
}
