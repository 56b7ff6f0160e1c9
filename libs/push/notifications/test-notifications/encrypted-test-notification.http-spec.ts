import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let organisation: Organisation;
let person: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  person = await organisation.addPerson();
});

const send = (fields = {}) => person.api.post('/mobile_push/e2ee/test_notification', fields);
const noDevice = {
  status: 400,
  body: { code: 'NO_ACTIVE_PUSH_DEVICE', msg: 'No active registered push device' },
};

/** A client device whose token is registered. */
async function addDevice(): Promise<number> {
  const { body } = await person.api.post('/register_client_device');
  const id = Number(body['device_id']);
  const data = { pushTokenId: new Uint8Array(8), platform: 'fcm' };
  await system.database.database.prisma.clientDevice.update({ where: { id }, data });
  return id;
}

describe('POST /mobile_push/e2ee/test_notification', () => {
  it('accepts a delivery for each device with a token, or for one', async () => {
    const [one, two] = [await addDevice(), await addDevice()];
    expect(await send({ device_id: one })).toEqual(expect.objectContaining(success));
    expect(await send()).toMatchObject(success);
    const deliveries = await system.database.database.prisma.pushDelivery.findMany({
      where: { deviceId: { in: [one, two] } },
      orderBy: { sequence: 'asc' },
    });
    expect(deliveries.map(({ deviceId }) => deviceId)).toEqual([one, one, two]);
    expect(deliveries.map(({ fingerprint }) => fingerprint)).toEqual(Array(3).fill('0'.repeat(12)));
  });

  it('refuses a device without a token, and an unknown one', async () => {
    const { body } = await person.api.post('/register_client_device');
    expect(await send()).toMatchObject(noDevice);
    expect(await send({ device_id: body['device_id'] })).toMatchObject(noDevice);
    await addDevice();
    expect(await send({ device_id: body['device_id'] })).toMatchObject(noDevice);
    expect(await send({ device_id: 2 ** 40 })).toMatchObject(noDevice);
    expect(await send({ device_id: -1 })).toMatchObject(noDevice);
  });

  it('refuses what is no id', async () => {
    expect(await send({ device_id: '"x"' })).toMatchObject({
      status: 400,
      body: { msg: 'device_id is not an integer' },
    });
  });
});
