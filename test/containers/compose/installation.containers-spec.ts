import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { Phone } from '#test/phone';
import { docker, hasEngine, showProgress } from '../engine.js';
import { containers, lastingContainers, serviceOf } from './containers.js';
import { Installation, type Person } from './installation.js';

jest.setTimeout(1_200_000);

const SLOW_MS = 120_000;
const PROGRAMS = ['api-gateway', 'presence', 'push-worker-sandbox'];

(hasEngine() ? describe : describe.skip)('An installation with Docker Compose', () => {
  let installation: Installation;
  let ada: Person;
  let bob: Person;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
    [ada, bob] = [await installation.addPerson('Ada'), await installation.addPerson('Bob')];
  });
  afterAll(() => installation?.remove());

  it('is healthy, and every lasting container has a check that says so', async () => {
    for (const one of await lastingContainers()) {
      expect([serviceOf(one), one.State.Health?.Status, one.RestartCount]).toEqual([
        serviceOf(one),
        'healthy',
        0,
      ]);
    }
  });

  it('delivers a message to a held poll, and to two phones through the sandbox', async () => {
    const phones = [Phone.iphone(), Phone.android()];
    for (const phone of phones) await phone.register(bob.api);
    const client = await EventClient.register(ada.api, { event_types: ['message'] });
    const poll = client.take();
    const message = { type: 'direct', to: [bob.id], content: 'In containers' };
    const sent = await ada.api.post('/messages', message);
    expect(await poll).toMatchObject([{ message: { id: sent.body['id'] } }]);
    for (const { token } of phones) {
      await eventually(
        async () => expect(await installation.sandbox.shownOn(token)).toHaveLength(1),
        SLOW_MS,
      );
    }
  });

  it('shows the presence of a person to others', async () => {
    await ada.api.post('/users/me/presence', { status: 'active', last_update_id: -1 });
    const { body } = await bob.api.get(`/users/${ada.id}/presence`);
    expect(body).toMatchObject({ presence: { aggregated: { status: 'active' } } });
  });

  it('keeps an uploaded file', async () => {
    // A busy machine is no failure.
    await eventually(async () => {
      const url = await installation.upload(ada, 'a file in a volume');
      expect(await installation.readFile(ada, url)).toBe('a file in a volume');
    }, SLOW_MS);
  });

  it.each(PROGRAMS)('finds nothing wrong with doctor in the container of %s', async (service) => {
    const command = installation.documented('doctor').replace('push-worker', service);
    // A program reports itself some seconds after its start.
    const output = await eventually(
      () => installation.run(command.replace('exec', 'exec -T')),
      SLOW_MS,
    );
    expect(output).toContain('Address http://proxy:9991: A ready gateway answers.');
    expect(output).toContain(`${service.replace('-sandbox', '')}: It is ready.`);
  });

  it('runs programs and stores without privileges', async () => {
    for (const { HostConfig: host, ...one } of await containers()) {
      const service = serviceOf({ HostConfig: host, ...one });
      expect([service, host.CapDrop, host.CapAdd]).toEqual([service, ['ALL'], null]);
      expect(host.SecurityOpt).toContain('no-new-privileges:true');
      expect([service, host.ReadonlyRootfs]).toEqual([service, true]);
      expect(host.PidsLimit).toBeGreaterThan(0);
      expect(host.Memory).toBeGreaterThan(0);
      expect(host.Ulimits).toEqual([expect.objectContaining({ Name: 'nofile', Hard: 20_000 })]);
      expect(host.LogConfig.Config).toEqual({ 'max-size': '20m', 'max-file': '5' });
    }
    for (const { Id } of await lastingContainers()) {
      const status = await docker('exec', Id, 'cat', '/proc/1/status');
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).not.toMatch(/^Uid:\s+0\s/m);
    }
  });

  it('shows no secret in what the engine and the processes of the host tell', async () => {
    const all = await containers();
    const listed = await Promise.all(all.map(({ Id }) => docker('inspect', Id)));
    const processes = await docker('top', all.find((one) => serviceOf(one) === 'redis')?.Id ?? '');
    const names = ['postgres-password', 'redis-password', 'api-key-secret', 'presence-secret'];
    for (const name of names) {
      const value = installation.read(`secrets/${name}`).trim();
      expect(value.length).toBeGreaterThan(20);
      expect([...listed, processes].filter((text) => text.includes(value))).toEqual([]);
    }
  });

  it('gives the secrets of gateways and stores to no other container', async () => {
    const having = async (name: string) =>
      (await containers())
        .filter(({ Mounts }) => Mounts.some((one) => one.Destination === `/run/secrets/${name}`))
        .map(serviceOf)
        .toSorted();
    expect(await having('api-key-secret')).toEqual(['api-gateway']);
    expect(await having('presence-secret')).toEqual(['api-gateway', 'presence']);
    expect(await having('postgres-password')).toEqual(['postgres']);
  });

  it('answers like a gateway, and shows the proxy as unhealthy, while no gateway runs', async () => {
    await installation.compose('stop api-gateway');
    const reply = await eventually(async () => {
      const answer = await ada.api.get('/users/me');
      expect(answer.status).toBe(503);
      return answer;
    }, SLOW_MS);
    expect(reply.body).toMatchObject({ result: 'error', code: 'SERVICE_UNAVAILABLE' });
    expect(reply.headers['retry-after']).toBe('1');
    await eventually(async () => {
      const [proxy] = await containers('proxy');
      expect(proxy?.State.Health?.Status).toBe('unhealthy');
    }, SLOW_MS);
    await installation.compose('start api-gateway');
    await eventually(async () => {
      const [proxy] = await containers('proxy');
      expect(proxy?.State.Health?.Status).toBe('healthy');
    }, SLOW_MS);
    expect(await ada.api.get('/users/me')).toMatchObject({ status: 200 });
  });

  it('has metrics of each program', async () => {
    const command = installation.documented('--profile observability');
    await installation.run(command.replace('--wait', '--wait prometheus'), 'Prometheus');
    const query = 'promtool query instant http://127.0.0.1:9090 up';
    await eventually(async () => {
      const output = await installation.compose(`exec -T prometheus ${query}`);
      const jobs = ['api-gateway', 'presence', 'push-worker'].map((name) => `carillon-${name}`);
      const up = jobs.filter((job) => new RegExp(`job="${job}".*=> 1 @`).test(output));
      expect(up).toEqual(jobs);
      expect(output).not.toMatch(/=> 0 @/);
    }, SLOW_MS);
  });
});
