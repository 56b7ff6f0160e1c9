import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventLog } from '#events/log';
import { systemClock } from '#platform/core';
import { PushSystem } from '#test/push-system';
import { RemoteServer } from '#test/remote-server';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { PushServiceClient, type RelaySettings } from '../push-service-client.js';
import { RealmPushStatuses } from './realm-push-statuses.js';
import { RealmUploadRepository } from './realm-upload.repository.js';
import { RealmUploads } from './realm-uploads.js';

const HOUR_MS = 3_600_000;

let service: System;
let server: RemoteServer;
let relay: PushSystem;
let settings: RelaySettings;
let sut: RealmUploads;

beforeAll(async () => {
  service = await startGateway();
  server = new RemoteServer(service.gatewayUrl);
  await server.signUp();
  settings = {
    url: service.gatewayUrl,
    orgId: server.id,
    orgKey: server.key,
    externalUrl: 'https://chat.test',
  };
  relay = await PushSystem.start({ relay: settings });
  await uploadsWith(settings).requestUploadAtStart();
});
beforeEach(async () => {
  sut = uploadsWith(settings);
  await sut.run();
});
afterAll(async () => {
  await relay?.stop();
  await service?.stop();
});

/** The uploads of a worker of the relay. */
function uploadsWith(given: RelaySettings): RealmUploads {
  const client = new PushServiceClient(given, systemClock);
  const rows = new RealmUploadRepository(relay.database);
  return new RealmUploads(client, rows, relay.service(RealmPushStatuses), given);
}

const ofServer = () =>
  ({ where: { server: { uuid: server.id } }, orderBy: { id: 'asc' } }) as const;
const realmsAtService = () => service.database.database.prisma.remoteRealm.findMany(ofServer());
const serverAtService = (data: object) =>
  service.database.database.prisma.remoteServer.update({ where: { uuid: server.id }, data });
const prisma = () => relay.database.prisma;
const passAnHour = () =>
  prisma().$executeRaw`
    UPDATE push_service_uploads SET due_at = due_at - interval '1 hour' - interval '1 minute'`;
const pushEvents = async () => {
  const events = await prisma().event.findMany({
    where: { type: 'realm' },
    orderBy: { position: 'asc' },
  });
  const bodies = events.map(({ body }) => body as { property: string; value: unknown });
  return bodies
    .filter(({ property }) => property === 'push_notifications_enabled')
    .map(({ value }) => value);
};

describe(RealmUploads.name, () => {
  it('uploads the organisations when a worker starts', async () => {
    expect(await realmsAtService()).toMatchObject([
      { name: 'Push', host: 'chat.test', url: 'https://chat.test', isDeactivated: false },
    ]);
    expect(await pushEvents()).toEqual([true]);
  });

  it('reads the organisations only when an upload is due or one has changed', async () => {
    const list = jest.spyOn(RealmUploadRepository.prototype, 'list');
    await Promise.all([sut.run(), sut.run()]);
    expect(list).toHaveBeenCalledTimes(0);
    await passAnHour();
    await Promise.all([sut.run(), sut.run(), sut.run()]);
    expect(list).toHaveBeenCalledTimes(1);
    await prisma().realm.update({ where: { id: relay.realmId }, data: { uploadedBytes: 5 } });
    await sut.run();
    expect(list).toHaveBeenCalledTimes(1);
    list.mockRestore();
  });

  it('uploads a new, a renamed, a deactivated and a deleted organisation at once', async () => {
    const added = await prisma().realm.create({ data: { subdomain: 'acme', name: 'Acme' } });
    await sut.run();
    expect(await realmsAtService()).toMatchObject([{}, { name: 'Acme', host: 'acme.chat.test' }]);
    const changes = { name: 'Acme Corp', deactivatedAt: new Date() };
    await prisma().realm.update({ where: { id: added.id }, data: changes });
    await sut.run();
    expect(await realmsAtService()).toMatchObject([
      { isDeactivated: false },
      { name: 'Acme Corp', isDeactivated: true, locallyDeletedAt: null },
    ]);
    await prisma().realm.delete({ where: { id: added.id } });
    await sut.run();
    expect(await realmsAtService()).toMatchObject([
      { locallyDeletedAt: null },
      { locallyDeletedAt: expect.any(Date) },
    ]);
  });

  it('stores each hour whether the service sends for the organisations, with an event', async () => {
    const before = await pushEvents();
    await serverAtService({ stoppedFrom: new Date(Date.now() - 1000) });
    await sut.run();
    expect(await pushEvents()).toEqual(before);
    await passAnHour();
    await sut.run();
    expect(await pushEvents()).toEqual([...before, false]);
    await serverAtService({ stoppedFrom: null });
    await passAnHour();
    await sut.run();
    expect(await pushEvents()).toEqual([...before, false, true]);
  });

  it('leaves the notifications on while the service sends, although uploads fail', async () => {
    const before = await pushEvents();
    const aDayAgo = { uploadedAt: new Date(Date.now() - 24 * HOUR_MS) };
    await prisma().pushServiceUpload.updateMany({ data: aDayAgo });
    const { uuid } = await prisma().pushServiceRealm.findFirstOrThrow({
      where: { realmId: relay.realmId },
    });
    const status = { can_push: true, expected_end_timestamp: null };
    // Another worker, which has not stored this answer a moment ago.
    const [rows, log] = [new RealmUploadRepository(relay.database), relay.service(EventLog)];
    await new RealmPushStatuses(rows, log, relay.database).storeAnswer(uuid, status);
    await passAnHour();
    await uploadsWith({ ...settings, orgKey: 'x'.repeat(64) }).run();
    expect(await pushEvents()).toEqual(before);
    await passAnHour();
    await sut.run();
  });

  it('uploads early for an organisation that the service does not know, but not during the pause after a failure', async () => {
    const list = jest.spyOn(RealmUploadRepository.prototype, 'list');
    const stored = (data: object) => prisma().pushServiceUpload.updateMany({ data });
    const uploadAgain = async () => {
      await sut.requestUpload();
      await sut.run();
      return list.mock.calls.length;
    };
    expect(await uploadAgain()).toBe(0);
    await stored({ uploadedAt: new Date(Date.now() - 61_000) });
    expect(await uploadAgain()).toBe(1);
    const pausedUntil = new Date(Date.now() + 900_000);
    await stored({
      attempts: 10,
      dueAt: pausedUntil,
      uploadedAt: new Date(Date.now() - HOUR_MS),
    });
    expect(await uploadAgain()).toBe(1);
    expect(await prisma().pushServiceUpload.findMany()).toMatchObject([{ dueAt: pausedUntil }]);
    // A worker that starts has perhaps corrected settings.
    await sut.requestUploadAtStart();
    await sut.run();
    expect(list).toHaveBeenCalledTimes(2);
    list.mockRestore();
  });

  it('switches the notifications off when uploads have failed for an hour, and on again', async () => {
    const before = await pushEvents();
    const refused = uploadsWith({ ...settings, orgKey: 'x'.repeat(64) });
    await passAnHour();
    await refused.run();
    expect(await pushEvents()).toEqual(before);
    // The clock of PostgreSQL counts, and not that of the worker.
    await passAnHour();
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * HOUR_MS);
    await refused.run().finally(() => jest.restoreAllMocks());
    expect(await pushEvents()).toEqual(before);
    const anHourAgo = new Date(Date.now() - HOUR_MS);
    await prisma().pushServiceUpload.updateMany({
      data: { uploadedAt: anHourAgo, workedAt: anHourAgo },
    });
    await passAnHour();
    await refused.run();
    expect(await pushEvents()).toEqual([...before, false]);
    // A change does not shorten the pause after a failure.
    await prisma().realm.update({ where: { id: relay.realmId }, data: { name: 'Renamed' } });
    await sut.run();
    expect((await realmsAtService())[0]).toMatchObject({ name: 'Push' });
    await passAnHour();
    await sut.run();
    expect((await realmsAtService())[0]).toMatchObject({ name: 'Renamed' });
    expect(await pushEvents()).toEqual([...before, false, true]);
  });
});
