import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { deliveriesTo } from '#test/push-ledger';
import { runCarillon } from '#test/run-carillon';
import type { System } from '#test/start-system';
import { useFixture, useFolder } from '#test/use-fixture';
import { useSystem } from '#test/use-system';
import type { ServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import { ClientUnderTest } from '../conformance/web-push.world.js';
import {
  PROSODY,
  startDistributor,
  startProsody,
  startTestingService,
  type Subscription,
} from './push-services.fixture.js';

/** Push services of others, which the machine may have: docs/testing.md. */
const modules = env['PUSH_SERVICES_MODULES_DIR'];
const hasPackage = (name: string): boolean =>
  modules !== undefined && existsSync(path.join(modules, name));
const PROSODY_MODULE = '/usr/lib/prosody/modules/mod_unified_push';
const hasProsody = [PROSODY, PROSODY_MODULE].every((file) => existsSync(file));

const withTesting = hasPackage('web-push-testing') ? describe : describe.skip;
const withProsody = hasProsody && hasPackage('@xmpp/client') ? describe : describe.skip;

const PATH = '/users/me/web_push_subscription';

/** A service, and how the programs reach it. */
interface Service {
  readonly identity: ServerIdentity;
  readonly port: number;
}

/** Carillon, which sends to one service on this machine. */
const useCarillon = (service: Service, folder: { readonly path: string }): System =>
  useSystem(async () => {
    const authority = path.join(folder.path, 'authority.pem');
    await writeFile(authority, service.identity.authority);
    return {
      environment: {
        WEB_PUSH_CONTACT: 'mailto:operator@example.org',
        WEB_PUSH_HOSTS: 'localhost',
        WEB_PUSH_PRIVATE_HOSTS: 'localhost',
        WEB_PUSH_PORTS: String(service.port),
        WEB_PUSH_CA_FILE: authority,
      },
    };
  });

/** Bob, who has a subscription at the service, and what Carillon stores of it. */
class Subscriber {
  constructor(private readonly system: System) {}

  get #prisma() {
    return this.system.database.database.prisma;
  }

  async publicKey(): Promise<string> {
    expect((await runCarillon(this.system, ['web-push-keys', 'add'])).exitCode).toBe(0);
    const { publicKey } = await this.#prisma.webPushKey.findFirstOrThrow();
    return Buffer.from(publicKey).toString('base64url');
  }

  async register(fields: Subscription & { kind: string; vapid_public_key: string }) {
    const { body } = await this.system.api('bob').post(PATH, { ...fields });
    expect(body).toMatchObject({ result: 'success', state: 'pending' });
    return Number(body['subscription_id']);
  }

  /** With the token that the service has brought. */
  async confirm(push: Readonly<Record<string, unknown>>): Promise<void> {
    const { subscription_id: id, confirmation_token: token } = push;
    const fields = { subscription_id: id, confirmation_token: token };
    const { status } = await this.system.api('bob').post(`${PATH}/confirm`, fields);
    expect(status).toBe(200);
  }

  async isSent(content: string): Promise<void> {
    const to = [this.system.user('bob').user_id];
    const message = { type: 'direct', to, content };
    expect((await this.system.api('alice').post('/messages', message)).status).toBe(200);
  }

  stored = (id: number) => this.#prisma.webPushSubscription.findUnique({ where: { id } });

  /** The state and the reason of the delivery with this place, once it was attempted. */
  nth = (id: number, count: number) =>
    eventually(async () => {
      const found = await this.#deliveries(id);
      expect(found).toHaveLength(count);
      const { state, reason, attempts = 0 } = found.at(-1) ?? {};
      expect(attempts).toBeGreaterThan(0);
      return { state, reason };
    });

  /** The service of a host that users have chosen has to say so twice, an hour apart. */
  async endsAfterTwoAnswers(id: number, reason: string): Promise<void> {
    await this.isSent('First');
    await eventually(async () => expect((await this.stored(id))?.goneSince).toBeInstanceOf(Date));
    const goneSince = new Date(Date.now() - 3_700_000);
    await this.#prisma.webPushSubscription.update({ where: { id }, data: { goneSince } });
    const where = { deviceId: id, state: 'pending' };
    await this.#prisma.pushDelivery.updateMany({ where, data: { dueAt: new Date(0) } });
    await this.isSent('Second');
    await eventually(async () => expect(await this.stored(id)).toBeNull());
    const ended = { state: 'dead_token', reason };
    expect(await this.#deliveries(id)).toContainEqual(expect.objectContaining(ended));
  }

  async #deliveries(id: number) {
    const deliveries = await deliveriesTo(this.#prisma, this.system.user('bob').user_id);
    return deliveries.filter(({ deviceId }) => deviceId === id);
  }
}

withTesting('web-push-testing (skipped unless PUSH_SERVICES_MODULES_DIR has it)', () => {
  const service = useFixture(() => startTestingService(String(modules)));
  const system = useCarillon(service, useFolder());
  const bob = new Subscriber(system);
  let key: string;

  beforeAll(async () => {
    key = await bob.publicKey();
  });

  const nth = (clientHash: string, count: number) =>
    eventually(async () => {
      const received = await service.received(clientHash);
      expect(received).toHaveLength(count);
      return received.at(-1);
    });
  const register = ({ endpoint, p256dh, auth }: Subscription) =>
    bob.register({ endpoint, p256dh, auth, kind: 'browser', vapid_public_key: key });

  it('takes and opens what Carillon sends, until the subscription has expired', async () => {
    const browser = await service.subscribe(key);
    const id = await register(browser);
    await bob.confirm(await nth(browser.clientHash, 1));
    await bob.isSent('Hello');
    expect(await nth(browser.clientHash, 2)).toMatchObject({ type: 'message', content: 'Hello' });
    await service.expire(browser.clientHash);
    await bob.endsAfterTwoAnswers(id, 'HTTP 410');
    expect(await service.received(browser.clientHash)).toHaveLength(2);
  });

  it('refuses the key of another server', async () => {
    const other = new ClientUnderTest().p256dh.toString('base64url');
    const browser = await service.subscribe(other);
    const id = await register(browser);
    expect(await bob.nth(id, 1)).toEqual({ state: 'rejected', reason: 'HTTP 400' });
    expect(await service.received(browser.clientHash)).toEqual([]);
  });
});

const title =
  'Prosody with mod_unified_push (skipped without its Debian packages, or unless PUSH_SERVICES_MODULES_DIR has @xmpp/client)';
withProsody(title, () => {
  const folder = useFolder();
  const service = useFixture(() => startProsody(folder.path));
  const system = useCarillon(service, folder);
  const bob = new Subscriber(system);
  let key: string;

  beforeAll(async () => {
    key = await bob.publicKey();
  });

  let distributor: Awaited<ReturnType<typeof startDistributor>>;
  beforeEach(async () => {
    distributor = await startDistributor(String(modules), service.xmpp);
  });
  afterEach(() => distributor.stop());

  const phone = new ClientUnderTest();
  /** The content of the last of so many pushes, opened by a library that did not seal it. */
  const nth = async (count: number) =>
    JSON.parse(phone.open(Buffer.from(String(await distributor.until('push', count)), 'base64')));
  const subscribe = async () => {
    const id = await bob.register({
      endpoint: distributor.endpoint,
      p256dh: phone.p256dh.toString('base64url'),
      auth: phone.auth.toString('base64url'),
      kind: 'unifiedpush',
      vapid_public_key: key,
    });
    await bob.confirm(await nth(1));
    return id;
  };

  it('brings what Carillon sends, until it forgets the registration', async () => {
    const id = await subscribe();
    await bob.isSent('Hello');
    expect(await nth(2)).toMatchObject({ type: 'message', content: 'Hello' });
    await service.forget();
    await bob.endsAfterTwoAnswers(id, 'HTTP 404');
  });

  it('answers a temporary error for a distributor that has unregistered', async () => {
    const id = await subscribe();
    await distributor.order('unregister');
    await bob.isSent('Hello');
    expect(await bob.nth(id, 2)).toEqual({ state: 'pending', reason: 'HTTP 500' });
  });

  it('accepts what it cannot bring: accepted does not mean shown', async () => {
    const id = await subscribe();
    await distributor.order('leave');
    await bob.isSent('Hello');
    expect(await bob.nth(id, 2)).toEqual({ state: 'delivered', reason: null });
    expect(distributor.pushes()).toHaveLength(1);
  });
});
