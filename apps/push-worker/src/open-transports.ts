import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { PushWorkerConfig } from '#config';
import { ApnsTransport, FcmTransport, type PushTransports, UnconfiguredTransport } from '#push';

const serviceAccountFile = z.object({
  project_id: z.string(),
  private_key_id: z.string(),
  private_key: z.string(),
  client_email: z.string(),
  token_uri: z.string(),
});

/** A transport for each platform that this process serves. Rejects when a file cannot be read. */
export async function openTransports(config: PushWorkerConfig): Promise<PushTransports> {
  const { platforms } = config;
  return {
    ...(platforms.includes('apns') ? { apns: await openApns(config) } : {}),
    ...(platforms.includes('fcm') ? { fcm: await openFcm(config) } : {}),
  };
}

async function openApns({ apns, deadlineMs }: PushWorkerConfig) {
  const { keyFile, keyId, teamId } = apns;
  if (keyFile === undefined || keyId === undefined || teamId === undefined) {
    return new UnconfiguredTransport();
  }
  return new ApnsTransport({
    host: apns.host,
    port: apns.port,
    certificateAuthority: await readIfNamed(apns.caFile),
    key: await readFile(keyFile, 'utf8'),
    keyId,
    teamId,
    deadlineMs,
  });
}

async function openFcm({ fcm, deadlineMs }: PushWorkerConfig) {
  if (fcm.serviceAccountFile === undefined) return new UnconfiguredTransport();
  const text = await readFile(fcm.serviceAccountFile, 'utf8');
  const account = serviceAccountFile.parse(JSON.parse(text));
  return new FcmTransport({
    host: fcm.host,
    port: fcm.port,
    certificateAuthority: await readIfNamed(fcm.caFile),
    projectId: account.project_id,
    account: {
      clientEmail: account.client_email,
      privateKey: account.private_key,
      privateKeyId: account.private_key_id,
      tokenUri: account.token_uri,
    },
    deadlineMs,
  });
}

async function readIfNamed(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readFile(path, 'utf8');
}
