import type { PushWorkerConfig } from '#platform/config';
import { type Platform, platformQueue, pushLanes } from '#push/jobs';
import { systemClock } from '#platform/core';
import { type OutboundProxy, readAuthority } from '#platform/outbound';
import { closeRedis, openRedis } from '#platform/redis';
import { type PushTransports } from '#push/delivery';
import {
  type ApnsApp,
  type ApnsCredential,
  apnsDriver,
  ApnsRouter,
  expiredReplacement,
  expiriesOf,
  expiryWarnings,
  type FcmAccount,
  fcmDriver,
  nameOfAccount,
  type OpenApnsConnections,
  ProviderTokens,
  type PushTransport,
  readApnsApps,
  readServiceAccount,
  ReplaceableTransport,
  UnconfiguredTransport,
  WatchedCredentials,
  webPushPayload,
  WebPushTransport,
} from '#push/providers';
import {
  PushServiceClient,
  RelayTransport,
  type RelaySettings,
  SERVICE_DEADLINE_MS,
} from '#push/relay';
import { WebPushKeySource } from './web-push-key-source.js';

/** The transports to the providers and their credentials. */
export interface ProviderTransports {
  readonly transports: PushTransports;
  /** The credentials that CredentialRotation reloads. */
  readonly credentials: readonly WatchedCredentials<unknown>[];
  /** The proxy for outgoing connections; left out without one. */
  readonly proxy?: OutboundProxy | undefined;
  /** Gets the keys of web push once the database is there; left out without web push. */
  readonly webPushKeys?: WebPushKeySource | undefined;
  /** Closes the shared connections; PlatformPools closes the transports. */
  close(): Promise<void>;
}

interface Opened<Credentials> {
  readonly transport: PushTransport;
  readonly credentials?: WatchedCredentials<Credentials>;
  readonly close?: () => Promise<void>;
}

/**
 * Opens a transport for each platform whose queues this process consumes. Rejects with CredentialFault for a
 * configured credential that cannot be used. `proxy` is the way of requests to other servers; undefined for a direct one.
 */
export async function openTransports(
  config: PushWorkerConfig,
  proxy: OutboundProxy | undefined,
): Promise<ProviderTransports> {
  const isServed = (platform: Platform) =>
    pushLanes.some((lane) => config.queues.includes(platformQueue(platform, lane)));
  const relay = relaySettingsOf(config, proxy);
  const web = isServed('web') ? await openWebPush(config, proxy) : undefined;
  if (relay !== null) return { ...relayTransports(relay, web), proxy };
  const apns = isServed('apns') ? await openApns(config, proxy) : undefined;
  const fcm = isServed('fcm') ? await openFcm(config, proxy) : undefined;
  return {
    transports: {
      ...(apns && { apns: apns.transport }),
      ...(fcm && { fcm: fcm.transport }),
      ...(web && { web: web.transport }),
    },
    proxy,
    credentials: [apns?.credentials, fcm?.credentials].filter((one) => one !== undefined),
    webPushKeys: web?.keys,
    close: async () => apns?.close?.(),
  };
}

/** The push service of another server; null when this one sends to Apple and Google itself. */
export const relaySettingsOf = (
  { relay, externalUrl }: PushWorkerConfig,
  proxy: OutboundProxy | undefined,
): RelaySettings | null => relay && { ...relay, externalUrl, proxy };

/**
 * How long a push may be in flight, in milliseconds. A late answer of Google is awaited for as long again. A push to a service
 * may wait for its batch before.
 */
export const longestSendMs = ({ relay, apns, fcm, webPush }: PushWorkerConfig): number =>
  Math.max(
    webPush.deadlineMs,
    relay === null ? Math.max(apns.deadlineMs, 2 * fcm.deadlineMs) : SERVICE_DEADLINE_MS + 1000,
  );

/** One transport for both kinds of phones, because the devices of an account share requests. Web push does not go that way. */
function relayTransports(relay: RelaySettings, web: OpenedWebPush | undefined): ProviderTransports {
  const transport = new RelayTransport(new PushServiceClient(relay, systemClock));
  return {
    transports: { apns: transport, fcm: transport, ...(web && { web: web.transport }) },
    credentials: [],
    webPushKeys: web?.keys,
    close: () => Promise.resolve(),
  };
}

interface OpenedWebPush {
  readonly transport: PushTransport;
  readonly keys?: WebPushKeySource;
}

async function openWebPush(
  { webPush }: PushWorkerConfig,
  proxy: OutboundProxy | undefined,
): Promise<OpenedWebPush> {
  const { endpoints, contact, caFile, deadlineMs } = webPush;
  if (contact === null) return { transport: new UnconfiguredTransport() };
  const certificateAuthority = await readAuthority('WEB_PUSH_CA_FILE', caFile);
  const keys = new WebPushKeySource();
  const transport = new WebPushTransport({
    endpoints,
    contact,
    deadlineMs,
    certificateAuthority,
    proxy,
    keyOf: (id) => keys.pairOf(id),
    textOf: webPushPayload,
  });
  return { transport, keys };
}

async function openApns(
  config: PushWorkerConfig,
  proxy: OutboundProxy | undefined,
): Promise<Opened<readonly ApnsApp[]>> {
  const { apns } = config;
  const { deadlineMs } = apns;
  if (apns.signIn === null && apns.appsFile === null) {
    return { transport: new UnconfiguredTransport() };
  }
  const apps = await readApnsApps(apns);
  const certificateAuthority = await readAuthority('APNS_CA_FILE', apns.caFile);
  const openTransport = await apnsDriver(apns.driver);
  const redis = openRedis(config.redis.url, 'provider-tokens');
  const tokens = new ProviderTokens(redis, systemClock);
  const openConnections: OpenApnsConnections = (signIn, environment) => {
    const credential: ApnsCredential =
      signIn.kind === 'token' ? { ...signIn, tokens: tokens.of(signIn) } : signIn;
    const host = apns.hosts[environment];
    return openTransport({ ...host, certificateAuthority, proxy, credential, deadlineMs });
  };
  const router = new ApnsRouter(openConnections, deadlineMs);
  router.use(apps);
  const credentials = new WatchedCredentials<readonly ApnsApp[]>(
    {
      name: 'Apple',
      read: () => readApnsApps(apns),
      objectionTo: (next, present) => expiredReplacement(next, present, systemClock()),
      warningsOf: (present) => expiryWarnings(present, systemClock()),
      expiriesOf,
      use: (next) => router.use(next),
    },
    apps,
  );
  return { transport: router, credentials, close: () => closeRedis(redis) };
}

async function openFcm(
  { fcm }: PushWorkerConfig,
  proxy: OutboundProxy | undefined,
): Promise<Opened<FcmAccount>> {
  const { serviceAccountFile: file, driver, caFile, ...settings } = fcm;
  if (file === undefined) return { transport: new UnconfiguredTransport() };
  const present = await readServiceAccount(file);
  const certificateAuthority = await readAuthority('FCM_CA_FILE', caFile);
  const openTransport = await fcmDriver(driver);
  const open = (account: FcmAccount) =>
    openTransport({ ...settings, certificateAuthority, proxy, ...account });
  const transport = new ReplaceableTransport(nameOfAccount(present), open(present));
  const credentials = new WatchedCredentials<FcmAccount>(
    {
      name: 'Google',
      read: () => readServiceAccount(file),
      use: (next) => transport.replace(nameOfAccount(next), open(next)),
    },
    present,
  );
  return { transport, credentials };
}
