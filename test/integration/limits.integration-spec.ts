import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { basicAuthorization } from '#test/api-client';
import { eventually } from '#test/eventually';
import { type Reply, sendRequest } from '#test/http-request';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { useGateway } from '#test/start-gateway';
import { filePart, gif, multipart } from '#test/uploads-multipart';

const CAP = 3;
const AT_ONCE = 20;

const system = useGateway({
  MAX_DEVICES: String(CAP),
  MAX_SAVED_SNIPPETS: String(CAP),
  MAX_MUTED_USERS: String(CAP),
  MAX_FILES: String(CAP),
  MAX_ACCOUNTS: '8',
  MAX_CUSTOM_EMOJI: String(CAP),
  MAX_PROFILE_FIELDS: String(CAP),
  MAX_PLAYGROUNDS: String(CAP),
  MAX_DEFAULT_CHANNELS: String(CAP),
  MAX_UNFINISHED_UPLOADS: String(CAP),
  MAX_FILE_UPLOAD_SIZE: '1',
  RATE_LIMIT_TEST_NOTIFICATIONS: '60:4',
});
let organisation: Organisation;
let admin: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  admin = await organisation.addPerson({ role: roles.administrator });
});

const prisma = () => system.database.database.prisma;

const reached = (what: string, who = 'An organization', limit = CAP) => ({
  status: 400,
  body: { code: 'LIMIT_REACHED', msg: `${who} may have at most ${limit} ${what}.` },
});

/** Sends concurrent requests; resolves with the number of successes and with the refusals. */
async function fill(send: (turn: number) => Promise<Reply>, atOnce = AT_ONCE) {
  const replies = await Promise.all(Array.from({ length: atOnce }, (_, turn) => send(turn)));
  const refused = replies.filter(({ status }) => status !== 200);
  return {
    taken: replies.length - refused.length,
    refusals: [...new Set(refused.map(({ status, body }) => `${status} ${String(body['msg'])}`))],
  };
}

const filled = ({ status, body }: ReturnType<typeof reached>, taken = CAP) => ({
  taken,
  refusals: [`${status} ${body.msg}`],
});

describe('The lists of an account', () => {
  it('have a maximum of saved snippets; a deletion makes room', async () => {
    const save = (turn: number) =>
      admin.api.post('/saved_snippets', { title: `${turn}`, content: 'text' });
    const refusal = reached('saved snippets', 'An account');
    expect(await fill(save)).toEqual(filled(refusal));
    const { body } = await admin.api.get('/saved_snippets');
    const [first] = body['saved_snippets'] as { id: number }[]; // As the endpoint declares.
    await admin.api.delete(`/saved_snippets/${first?.id}`);
    expect(await save(1)).toMatchObject(success);
    expect(await save(2)).toMatchObject(refusal);
  });

  it('have a maximum of muted users; muting one again gives the usual error', async () => {
    const others = await organisation.addPeople(AT_ONCE);
    const mute = (turn: number) => admin.api.post(`/users/me/muted_users/${others[turn]?.id}`);
    expect(await fill(mute)).toEqual(filled(reached('muted users', 'An account')));
    const [known] = await prisma().mutedUser.findMany({ where: { userId: admin.id } });
    expect(await admin.api.post(`/users/me/muted_users/${known?.mutedUserId}`)).toMatchObject(
      badRequest('User already muted'),
    );
  });

  it('have a maximum of files', async () => {
    const upload = (turn: number) =>
      admin.api.send('POST', '/user_uploads', multipart(filePart(`${turn}.txt`, 'text')));
    expect(await fill(upload)).toEqual(filled(reached('files', 'An account')));
  });

  it('have a maximum of devices of a platform; a new one replaces the oldest registration', async () => {
    const path = '/users/me/android_gcm_reg_id';
    const tokens = Array.from({ length: CAP + 1 }, () => androidToken());
    const [oldest, second] = tokens;
    for (const token of tokens.slice(0, CAP)) await admin.api.post(path, { token });
    // A repeated registration makes the device the newest.
    await admin.api.post(path, { token: oldest });
    await admin.api.post(path, { token: tokens[CAP] });
    const kept = await prisma().pushDevice.findMany({ where: { userId: admin.id } });
    expect(kept.map(({ token }) => token).toSorted()).toEqual(
      tokens.filter((token) => token !== second).toSorted(),
    );
    await admin.api.post('/users/me/apns_device_token', { token: iphoneToken(), appid: 'org.a' });
    expect(await prisma().pushDevice.count({ where: { userId: admin.id } })).toBe(CAP + 1);
  });

  it('hold no more devices after concurrent registrations', async () => {
    const register = () =>
      admin.api.post('/users/me/android_gcm_reg_id', { token: androidToken() });
    await Promise.all(Array.from({ length: AT_ONCE }, register));
    expect(await prisma().pushDevice.count({ where: { userId: admin.id } })).toBe(CAP);
  });
});

describe('The lists of an organisation', () => {
  it('have a maximum of accounts', async () => {
    const create = (turn: number) =>
      admin.api.post('/users', {
        email: `new${turn}@chat.example.org`,
        full_name: `New ${turn}`,
        password: 'correct horse battery staple',
      });
    // Hashing a password takes long on a busy machine, and the others wait for it.
    expect(await fill(create, 10)).toEqual(filled(reached('accounts', undefined, 8), 7));
  });

  it('have a maximum of custom emoji, including deactivated ones', async () => {
    const add = (name: string) =>
      admin.api.send('POST', `/realm/emoji/${name}`, multipart(filePart('a.gif', gif)));
    const refusal = reached('custom emoji');
    expect(await fill((turn) => add(`emoji${turn}`))).toEqual(filled(refusal));
    const [one] = await prisma().realmEmoji.findMany({ where: { realmId: organisation.id } });
    await admin.api.delete(`/realm/emoji/${one?.name}`);
    expect(await add('another')).toMatchObject(refusal);
  });

  it('have a maximum of custom profile fields', async () => {
    const create = (turn: number) =>
      admin.api.post('/realm/profile_fields', { name: `Field ${turn}`, field_type: 1 });
    expect(await fill(create)).toEqual(filled(reached('custom profile fields')));
  });

  it('have a maximum of playgrounds', async () => {
    const create = (turn: number) =>
      admin.api.post('/realm/playgrounds', {
        name: `Place ${turn}`,
        pygments_language: 'Rust',
        url_template: 'https://play.example.org/{code}',
      });
    expect(await fill(create)).toEqual(filled(reached('code playgrounds')));
  });

  it('have a maximum of default channels; adding one again succeeds', async () => {
    await prisma().channel.createMany({
      data: Array.from({ length: AT_ONCE }, (_, turn) => ({
        realmId: organisation.id,
        name: `channel ${turn}`,
      })),
    });
    const where = { realmId: organisation.id };
    const channels = await prisma().channel.findMany({ where });
    const add = (turn: number) =>
      admin.api.post('/default_streams', { stream_id: channels[turn]?.id });
    expect(await fill(add)).toEqual(filled(reached('default channels')));
    const known = await prisma().channel.findFirst({ where: { ...where, isDefault: true } });
    expect(await admin.api.post('/default_streams', { stream_id: known?.id })).toMatchObject(
      success,
    );
  });
});

describe('The size of texts', () => {
  it.each([155, 156, 66_000])('is limited for app ids: %d characters', async (length) => {
    const reply = await admin.api.post('/users/me/apns_device_token', {
      token: iphoneToken(),
      appid: 'c'.repeat(length),
    });
    expect(reply).toMatchObject(
      length <= 155 ? success : badRequest('appid is too long (limit: 155 characters)'),
    );
  });
});

describe('Test notifications', () => {
  it('are charged for each device', async () => {
    for (const _ of [1, 2, 3]) {
      await admin.api.post('/users/me/android_gcm_reg_id', { token: androidToken() });
    }
    const test = () => admin.api.post('/mobile_push/test_notification');
    expect(await test()).toMatchObject(success);
    // One of four is left. A test notification to all devices is accepted, and charged for each.
    expect(await test()).toMatchObject(success);
    expect(await test()).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_HIT' } });
    const other = await organisation.addPerson();
    expect(await other.api.post('/mobile_push/test_notification')).toMatchObject(success);
  });
});

describe('Unfinished uploads', () => {
  const begin = (person: Person, bytes: number) =>
    sendRequest(`${system.gatewayUrl}/api/v1/tus`, {
      method: 'POST',
      headers: {
        authorization: basicAuthorization(person),
        host: person.host,
        'tus-resumable': '1.0.0',
        'upload-length': String(bytes),
      },
    });
  const end = (person: Person, reply: Reply) =>
    sendRequest(String(reply.headers.location).replace(/^.*(?=\/api\/)/, system.gatewayUrl), {
      method: 'DELETE',
      headers: {
        authorization: basicAuthorization(person),
        host: person.host,
        'tus-resumable': '1.0.0',
      },
    });
  const statuses = (replies: readonly Reply[]) =>
    Object.fromEntries(
      [201, 413].map((one) => [one, replies.filter(({ status }) => status === one).length]),
    );
  const uploadedBytes = async () =>
    Number(
      (await prisma().realm.findUniqueOrThrow({ where: { id: organisation.id } })).uploadedBytes,
    );

  it('have a maximum for each account', async () => {
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => begin(admin, 10)));
    expect(statuses(replies)).toEqual({ 201: CAP, 413: AT_ONCE - CAP });
    expect(replies.find(({ status }) => status === 413)?.body).toEqual({
      message: `An account may have at most ${CAP} unfinished uploads.`,
    });
    expect(await uploadedBytes()).toBe(CAP * 10);
    for (const reply of replies.filter(({ status }) => status === 201)) await end(admin, reply);
    await eventually(async () => expect(await uploadedBytes()).toBe(0));
  });

  it('have a maximum total size of twice the largest file', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => begin(admin, 1_048_576)));
    expect(statuses(replies)).toEqual({ 201: 2, 413: 1 });
  });

  it('reserve the quota of the organisation at their start, for every account', async () => {
    organisation = await addOrganisation(system, { uploadQuotaMib: 1 });
    const people = await organisation.addPeople(AT_ONCE);
    const replies = await Promise.all(people.map((person) => begin(person, 200_000)));
    expect(statuses(replies)).toEqual({ 201: 5, 413: AT_ONCE - 5 });
    expect(await uploadedBytes()).toBe(1_000_000);
  });
});
