import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import type { ApnsSettings, FcmSettings, ProviderTokenSource } from '#push/providers';
import { createPushSandbox } from '../../apps/push-sandbox/src/create-push-sandbox.js';
import { freePorts } from '#test/free-ports';
import { SandboxClient } from '#test/sandbox-client';

const host = '127.0.0.1';
const apnsIdentity = z.object({ key_id: z.string(), team_id: z.string() });
const serviceAccount = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string(),
  token_uri: z.string(),
});

/** The sandbox in this process, with the options of a transport for it. */
export interface RunningSandbox {
  readonly control: SandboxClient;
  readonly apns: Omit<ApnsSettings, 'deadlineMs'>;
  /** Of Apple's development environment. */
  readonly apnsSandboxPort: number;
  readonly fcm: Omit<FcmSettings, 'deadlineMs'>;
  /** The certificate of the sandbox, for other servers of a test. */
  readonly server: { readonly cert: string; readonly key: string };
  stop(): Promise<void>;
}

export async function startSandbox(): Promise<RunningSandbox> {
  const dataDir = await mkdtemp(join(tmpdir(), 'push-transport-'));
  const [port = 0, apnsPort = 0, apnsSandboxPort = 0, fcmPort = 0] = await freePorts(4);
  const logging = { level: 'error', format: 'text' } as const;
  const app = await createPushSandbox({
    logging,
    dataDir,
    host,
    publicHost: host,
    port,
    apnsPort,
    apnsSandboxPort,
    fcmPort,
  });
  await app.listen(port, host);
  const read = (file: string) => readFile(join(dataDir, 'sandbox', file), 'utf8');
  const certificateAuthority = await read('ca.pem');
  const account = serviceAccount.parse(JSON.parse(await read('service-account.json')));
  return {
    control: new SandboxClient(`http://${host}:${port}`),
    apns: { host, port: apnsPort, certificateAuthority, credential: await apnsKey(read) },
    apnsSandboxPort,
    fcm: {
      host,
      port: fcmPort,
      certificateAuthority,
      projectId: account.project_id,
      usesConstrainedNetworks: true,
      account: {
        clientEmail: account.client_email,
        privateKey: account.private_key,
        privateKeyId: account.private_key_id,
        tokenUri: account.token_uri,
      },
    },
    server: { cert: await read('server.pem'), key: await read('server-key.pem') },
    stop: async () => {
      await app.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function apnsKey(read: (file: string) => Promise<string>) {
  const { key_id: keyId, team_id: teamId } = apnsIdentity.parse(
    JSON.parse(await read('apns.json')),
  );
  const key = await read('apns-key.p8');
  return { kind: 'token' as const, key, keyId, teamId, tokens: oneToken({ key, keyId, teamId }) };
}

/** One provider token for all transports, as APNs requires. */
function oneToken(team: { key: string; keyId: string; teamId: string }): ProviderTokenSource {
  let token: Promise<string> | undefined;
  const sign = async () =>
    new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: team.keyId })
      .setIssuer(team.teamId)
      .setIssuedAt()
      .sign(await importPKCS8(team.key, 'ES256'));
  return {
    current: () => (token ??= sign()),
    reportRefused: () => {
      token = undefined;
    },
  };
}
