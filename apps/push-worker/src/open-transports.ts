import { readFile } from 'node:fs/promises';
import type { PushWorkerConfig } from '#config';
import type { Platform } from '#contracts';
import { systemClock } from '#core';
import { type PushTransports } from '#push';
import {
  type ApnsApp,
  type ApnsCredential,
  apnsDriver,
  ApnsRouter,
  endedNewcomer,
  endingSoon,
  type FcmAccount,
  fcmDriver,
  nameOfAccount,
  type OpenApnsLine,
  ProviderTokens,
  type PushTransport,
  readApnsApps,
  readServiceAccount,
  ReplaceableTransport,
  UnconfiguredTransport,
  WatchedCredentials,
} from '#push-transport';
import { closeRedis, openRedis } from '#redis';

/** How the providers are reached, and the credentials that it is done with. */
export interface OpenedTransports {
  readonly transports: PushTransports;
  /** To be looked after while the transports are in use. */
  readonly credentials: readonly WatchedCredentials<unknown>[];
  /** Ends what the transports share; the transports are closed by who uses them. */
  close(): Promise<void>;
}

interface Opened<Credentials> {
  readonly transport: PushTransport;
  readonly credentials?: WatchedCredentials<Credentials>;
  readonly close?: () => Promise<void>;
}

/**
 * A transport for each platform whose queues this process serves. Rejects with a CredentialFault when a
 * credential that is configured cannot be used.
 */
export async function openTransports(config: PushWorkerConfig): Promise<OpenedTransports> {
  const isServed = (platform: Platform) =>
    config.queues.some((queue) => queue === platform || queue === `${platform}-bulk`);
  const apns = isServed('apns') ? await openApns(config) : undefined;
  const fcm = isServed('fcm') ? await openFcm(config) : undefined;
  return {
    transports: {
      ...(apns && { apns: apns.transport }),
      ...(fcm && { fcm: fcm.transport }),
    },
    credentials: [apns?.credentials, fcm?.credentials].filter((one) => one !== undefined),
    close: async () => apns?.close?.(),
  };
}

async function openApns(config: PushWorkerConfig): Promise<Opened<readonly ApnsApp[]>> {
  const { apns, deadlineMs } = config;
  if (apns.signIn === null && apns.appsFile === null) {
    return { transport: new UnconfiguredTransport() };
  }
  const apps = await readApnsApps(apns);
  const certificateAuthority = await readIfNamed(apns.caFile);
  const openTransport = await apnsDriver(apns.driver);
  const redis = openRedis(config.redis.url, 'provider-tokens');
  const tokens = new ProviderTokens(redis, systemClock);
  const openLine: OpenApnsLine = (signIn, environment) => {
    const credential: ApnsCredential =
      signIn.kind === 'token' ? { ...signIn, tokens: tokens.of(signIn) } : signIn;
    const host = apns.hosts[environment];
    return openTransport({ ...host, certificateAuthority, credential, deadlineMs });
  };
  const router = new ApnsRouter(openLine, deadlineMs);
  router.use(apps);
  const credentials = new WatchedCredentials<readonly ApnsApp[]>(
    {
      name: 'Apple',
      read: () => readApnsApps(apns),
      objectionTo: (next, present) => endedNewcomer(next, present, systemClock()),
      warningsOf: (present) => endingSoon(present, systemClock()),
      use: (next) => router.use(next),
    },
    apps,
  );
  return { transport: router, credentials, close: () => closeRedis(redis) };
}

async function openFcm({ fcm, deadlineMs }: PushWorkerConfig): Promise<Opened<FcmAccount>> {
  const { serviceAccountFile: file, host, port, driver } = fcm;
  if (file === undefined) return { transport: new UnconfiguredTransport() };
  const present = await readServiceAccount(file);
  const certificateAuthority = await readIfNamed(fcm.caFile);
  const openTransport = await fcmDriver(driver);
  const open = (account: FcmAccount) =>
    openTransport({ host, port, certificateAuthority, ...account, deadlineMs });
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

async function readIfNamed(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readFile(path, 'utf8');
}
