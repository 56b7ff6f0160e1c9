import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { OtlpCollector } from '#test/otlp-collector';
import { freePorts } from '#test/free-ports';
import { sendRequest } from '#test/http-request';
import { RedisMonitor } from '#test/redis-monitor';
import type { SandboxDelivery } from '#test/sandbox-client';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

const SECRET_TEXT = 'the-password-of-the-vault-is-sesame';

const collector = useFixture(() => OtlpCollector.start());
const system = useSystem(async () => {
  [metricsPort = 0] = await freePorts(1);
  return {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      LOG_LEVEL: 'verbose',
      REQUEST_LOG: 'all',
      GATEWAY_METRICS_PORT: String(metricsPort),
    },
  };
});
let monitor: RedisMonitor;
let metricsPort: number;
let phones: readonly EncryptedPhone[];

beforeAll(async () => {
  monitor = await RedisMonitor.start(system.describe().parts.stores.redisUrl);
  system.beforeStop(async () => monitor.stop());
});

const encryptedIn = ({ payload }: SandboxDelivery): string => {
  const { data } = (payload['message'] ?? { data: payload }) as { data: Record<string, unknown> };
  return String(data['encrypted_data']);
};

const shown = (phone: EncryptedPhone, count: number): Promise<SandboxDelivery[]> =>
  eventually(async () => {
    const deliveries = await system.sandbox.shownOn(phone.token);
    expect(deliveries).toHaveLength(count);
    return deliveries;
  });

const registered = (phone: EncryptedPhone) =>
  eventually(async () => {
    const { body } = await system.api('bob').post('/register', { fetch_event_types: ['device'] });
    const devices = body['devices'] as Record<string, { push_token_id: unknown }>;
    expect(devices[phone.deviceId]?.push_token_id).toBe(phone.tokenId);
  });

describe('Encrypted notifications', () => {
  it('reach the phones of an account: a message, and its removal', async () => {
    const { public_key: publicKey } = system.demo.push_service;
    phones = [EncryptedPhone.iphone(publicKey), EncryptedPhone.android(publicKey)];
    for (const phone of phones) {
      await phone.register(system.api('bob'));
      await registered(phone);
    }
    const bob = system.user('bob');
    const { body } = await system.api('alice').post('/messages', {
      type: 'direct',
      to: [bob.user_id],
      content: SECRET_TEXT,
    });
    for (const phone of phones) {
      const [delivery] = await shown(phone, 1);
      expect(delivery && phone.read(encryptedIn(delivery))).toMatchObject({
        type: 'message',
        user_id: bob.user_id,
        message_id: body['id'],
        content: SECRET_TEXT,
        recipient_type: 'direct',
        recipient_user_ids: [system.user('alice').user_id, bob.user_id].toSorted((a, b) => a - b),
      });
      expect(JSON.stringify(delivery?.payload)).not.toContain('alice');
    }
    const read = { messages: [Number(body['id'])], op: 'add', flag: 'read' };
    expect((await system.api('bob').post('/messages/flags', read)).status).toBe(200);
    for (const phone of phones) {
      const [, delivery] = await shown(phone, 2);
      expect(delivery && phone.read(encryptedIn(delivery))).toMatchObject({
        type: 'remove',
        message_ids: [body['id']],
      });
    }
  });

  it('leave no text, key or ciphertext in logs, jobs, the ledger, metrics and traces', async () => {
    const [iphone] = phones;
    if (iphone === undefined) throw new Error('The first test has registered it');
    // A refused push is kept as a dead letter, and a refused registration is logged.
    await system.sandbox.answer(iphone.token, {
      platform: 'apns',
      status: 400,
      reason: 'BadTopic',
    });
    const bob = system.api('bob');
    await bob.post('/mobile_push/e2ee/test_notification', { device_id: iphone.deviceId });
    const { prisma } = system.database.database;
    const letter = await eventually(async () => {
      const found = await prisma.pushDeadLetter.findFirst({ where: { deviceId: iphone.deviceId } });
      expect(found).not.toBeNull();
      return found;
    });
    expect(letter?.payload).toMatchObject({
      encrypted_data: expect.stringMatching(/characters>$/),
    });
    const odd = EncryptedPhone.android(system.demo.push_service.public_key);
    const { body } = await bob.post('/register_client_device');
    odd.deviceId = Number(body['device_id']);
    await odd.send(bob, { ...odd.keyFields, ...odd.tokenFields({ timestamp: 5 }) });
    await eventually(async () => {
      const device = await prisma.clientDevice.findUniqueOrThrow({ where: { id: odd.deviceId } });
      expect(device.errorCode).toBe('REQUEST_EXPIRED');
    });
    const metrics = await allMetrics();
    const ciphertexts = (await system.sandbox.deliveries()).map(encryptedIn);
    expect(ciphertexts).toHaveLength(5);
    await system.stopPrograms();
    const places: Readonly<Record<string, string>> = {
      metrics,
      logs: await allLogs(),
      redis: monitor.recorded,
      traces: collector.bodies.join(''),
      ...(await tables()),
    };
    expect(places['logs']).toContain('REQUEST_EXPIRED');
    expect(places['redis']).toContain('device.register');
    expect(places['traces']).toContain('push fcm');
    expect(places['push_deliveries']).toContain('delivered');
    for (const phone of [...phones, odd]) {
      const secrets = [
        SECRET_TEXT,
        phone.token,
        phone.pushKey.toString('base64'),
        phone.pushKey.subarray(1).toString('base64'),
        phone.pushKey.subarray(1).toString('hex'),
        phone.pushKey.subarray(1).toString('latin1'),
        ...ciphertexts,
      ];
      for (const [place, text] of Object.entries(places)) {
        const lower = text.toLowerCase();
        // Columns of bytes are read in hexadecimal.
        const found = secrets.filter((secret) =>
          [secret, Buffer.from(secret).toString('hex')].some((form) =>
            lower.includes(form.toLowerCase()),
          ),
        );
        const allowed = place === 'push_registrations' ? [phone.token] : [];
        expect({ place, found: found.filter((one) => !allowed.includes(one)) }).toEqual({
          place,
          found: [],
        });
      }
    }
  });
});

async function allMetrics(): Promise<string> {
  const { pushHealth } = system.describe().parts.config.ports;
  const urls = [metricsPort, pushHealth].map((port) => `http://127.0.0.1:${port}/metrics`);
  const replies = await Promise.all(urls.map((url) => sendRequest(url)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  return replies.map(({ text }) => text).join('\n');
}

async function allLogs(): Promise<string> {
  const { dataDir } = system.describe().parts;
  const names = (await readdir(dataDir)).filter((name) => name.endsWith('.log'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(dataDir, name), 'utf8')));
  return texts.join('\n');
}

/** The rows of the tables of push, as text. */
async function tables(): Promise<Record<string, string>> {
  const names = [
    'push_notifications',
    'push_deliveries',
    'push_dead_letters',
    'push_registrations',
    'push_token_requests',
    'push_keys',
    'client_devices',
    'outbox',
    'idempotency_keys',
  ];
  const entries = names.map(async (name) => {
    const rows = await system.database.database.prisma.$queryRawUnsafe<{ row: string }[]>(
      `SELECT row_to_json(t)::text AS row FROM ${name} t`,
    );
    return [name, rows.map(({ row }) => row).join('\n')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
