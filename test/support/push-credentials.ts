import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { readPushWorkerConfig } from '#platform/config';
import { readOutboundProxy } from '#platform/outbound';
import type { PushTransport } from '#push/providers';
import { issueApnsCertificate } from '../../apps/push-sandbox/src/credentials/apns-certificates.js';
import {
  type ProviderTransports,
  openTransports,
} from '../../apps/push-worker/src/open-transports.js';
import { testRedisUrl } from '#test/test-stores';
import { withRedis } from '#test/throwaway-redis';
import { SandboxUnderTest } from '#test/push-sandbox-client';

export const OTHER_APP = 'org.example.other';
export const accepted = { kind: 'accepted' } as const;

const teamFile = z.object({ key_id: z.string(), team_id: z.string() });

/** A valid signing key that the sandbox does not know. */
export const foreignKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

/** A folder of credentials, and transports of workers that use them with a sandbox. */
export class CredentialsUnderTest {
  readonly #opened: ProviderTransports[] = [];

  private constructor(
    readonly sandbox: SandboxUnderTest,
    readonly folder: string,
    /** The fields of an entry in the apps file. */
    readonly team: { readonly key_id: string; readonly team_id: string },
  ) {}

  /** Creates the folder, with the sandbox's key in `key.p8` and its service account in `service-account.json`. */
  static async make(sandbox: SandboxUnderTest): Promise<CredentialsUnderTest> {
    Logger.overrideLogger(false);
    const folder = await mkdtemp(join(tmpdir(), 'push-credentials-'));
    const team = teamFile.parse(JSON.parse(await sandbox.read('apns.json')));
    const made = new CredentialsUnderTest(sandbox, folder, team);
    await made.write('key.p8', await sandbox.read('apns-key.p8'));
    await made.write('service-account.json', await sandbox.read('service-account.json'));
    return made;
  }

  /** The configuration variables of a single app. */
  get byKey() {
    const { key_id: keyId, team_id: teamId } = this.team;
    return { APNS_KEY_FILE: this.pathOf('key.p8'), APNS_KEY_ID: keyId, APNS_TEAM_ID: teamId };
  }

  get byApps() {
    return { PUSH_APPS_FILE: this.pathOf('apps.json') };
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(this.pathOf(name), text);
  }

  writeApps(entries: unknown): Promise<void> {
    return this.write('apps.json', JSON.stringify(entries));
  }

  /** Resolves with the fields of an entry of the apps file. */
  async writeCertificate(name: string, topic: string, notAfter?: Date) {
    const { certificate, key } = await issueApnsCertificate(this.sandbox.folder, topic, notAfter);
    await this.write(`${name}.pem`, certificate);
    await this.write(`${name}-key.pem`, key);
    return { certificate_file: `${name}.pem`, private_key_file: `${name}-key.pem` };
  }

  async open(given: Readonly<Record<string, string>>): Promise<ProviderTransports> {
    const { ports, folder } = this.sandbox;
    const config = readPushWorkerConfig({
      DATABASE_URL: 'postgresql://nobody@127.0.0.1/none',
      REDIS_URL: testRedisUrl(),
      APNS_HOST: '127.0.0.1',
      APNS_PORT: String(ports.apns),
      APNS_CA_FILE: join(folder, 'ca.pem'),
      FCM_HOST: '127.0.0.1',
      FCM_PORT: String(ports.fcm),
      FCM_CA_FILE: join(folder, 'ca.pem'),
      ...given,
    });
    const opened = await openTransports(config, await readOutboundProxy(config.outboundProxy));
    this.#opened.push(opened);
    return opened;
  }

  async openApns(given: Readonly<Record<string, string>>) {
    const { transports, credentials } = await this.open({ PUSH_QUEUES: 'apns', ...given });
    // The worker serves the APNs queue and watches its credentials.
    return { transport: transports.apns as PushTransport, watched: credentials[0] };
  }

  async remove(): Promise<void> {
    for (const { transports, close } of this.#opened) {
      await Promise.all([transports.apns?.close(), transports.fcm?.close()]);
      await close();
    }
    await withRedis(testRedisUrl(), async (redis) => {
      const names = await redis.keys(`push:provider-token:{${this.team.team_id}/*`);
      if (names.length > 0) await redis.del(names);
    });
    await rm(this.folder, { recursive: true });
  }
}
