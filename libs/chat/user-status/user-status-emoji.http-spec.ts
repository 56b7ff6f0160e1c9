import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let organisation: Organisation;
let me: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  me = await organisation.addPerson();
});

type Fields = Readonly<Record<string, string>>;

const setEmoji = (fields: Fields) => me.api.post('/users/me/status', fields);

async function emojiAfter(fields: Fields): Promise<unknown> {
  expect(await setEmoji(fields)).toMatchObject({ status: 200 });
  return (await me.api.get(`/users/${me.id}/status`)).body['status'];
}

async function addEmoji(name: string, isDeactivated = false): Promise<string> {
  const { id } = await system.database.database.prisma.realmEmoji.create({
    data: { realmId: organisation.id, authorId: me.id, name, fileKey: 'none', isDeactivated },
  });
  return String(id);
}

describe('a status with a Unicode emoji', () => {
  it.each([
    ['calendar', '1f4c5'],
    ['heart', '2764'],
  ])('accepts a name with and without code and type: %s', async (name, code) => {
    const whole = { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' };
    expect(await emojiAfter({ emoji_name: name })).toEqual(whole);
    expect(await emojiAfter(whole)).toEqual(whole);
  });

  it.each([
    ['1f6e0-fe0f', 'working_on_it', '1f6e0'],
    ['1f44d-1f3fd', 'thumbs_up_tone3', '1f44d-1f3fd'],
  ])('normalises the code %s', async (given, name, code) => {
    expect(await emojiAfter({ emoji_name: name, emoji_code: given })).toEqual({
      emoji_name: name,
      emoji_code: code,
      reaction_type: 'unicode_emoji',
    });
  });

  it('accepts a keyword of the emoji as its name, but only beside code and type', async () => {
    const abacus = {
      emoji_name: 'calculation',
      emoji_code: '1f9ee',
      reaction_type: 'unicode_emoji',
    };
    expect(await emojiAfter(abacus)).toEqual(abacus);
    expect(await setEmoji({ emoji_name: 'calculation' })).toMatchObject(
      badRequest("Emoji 'calculation' does not exist"),
    );
  });

  it('accepts a code without a type', async () => {
    expect(await emojiAfter({ emoji_name: 'smile', emoji_code: '1f642' })).toMatchObject({
      emoji_code: '1f642',
      reaction_type: 'unicode_emoji',
    });
  });

  it.each(['no_such_emoji', 'Car', ' car', 'constructor', '%(x)s', "it's", '🚗'])(
    'rejects the name "%s"',
    async (name) => {
      expect(await setEmoji({ emoji_name: name })).toMatchObject(
        badRequest(`Emoji '${name}' does not exist`),
      );
    },
  );

  it.each([
    ['an unknown code', 'car', '1f4ff-1f4ff', 'Invalid emoji code.'],
    ['an empty code', 'car', '', 'Invalid emoji code.'],
    ['a very long code', 'car', '1f697-'.repeat(10_000), 'Invalid emoji code.'],
    ['the code of another', 'car', '1f68c', 'Invalid emoji name.'],
    ['an unknown name', 'invalid', '1f4bb', 'Invalid emoji name.'],
  ])('rejects %s', async (_case, name, code, msg) => {
    const fields = { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' };
    expect(await setEmoji(fields)).toMatchObject(badRequest(msg));
  });

  it.each(['', 'emoji', 'UNICODE_EMOJI'])('rejects the type "%s"', async (type) => {
    const fields = { emoji_name: 'car', emoji_code: '1f697', reaction_type: type };
    expect(await setEmoji(fields)).toMatchObject(badRequest('Invalid emoji type.'));
  });

  it('rejects a name of more than 100 characters before it looks it up', async () => {
    const name = '🚗'.repeat(100);
    expect(await setEmoji({ emoji_name: name })).toMatchObject(
      badRequest(`Emoji '${name}' does not exist`),
    );
    expect(await setEmoji({ emoji_name: `${name}a` })).toMatchObject(
      badRequest('emoji_name is too long (limit: 100 characters)'),
    );
  });

  it('keeps the previous emoji when the request is rejected', async () => {
    await setEmoji({ status_text: 'driving', emoji_name: 'car' });
    await setEmoji({ status_text: 'flying', emoji_name: 'no_such_emoji' });
    expect(await emojiAfter({ status_text: 'driving' })).toMatchObject({ emoji_name: 'car' });
  });
});

describe('a status with the extra emoji', () => {
  const extra = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' };

  it('accepts a name with and without code and type', async () => {
    expect(await emojiAfter({ emoji_name: 'zulip' })).toEqual(extra);
    expect(await emojiAfter(extra)).toEqual(extra);
  });
});

describe('a status with a custom emoji', () => {
  it('accepts a name with and without code and type', async () => {
    const code = await addEmoji('parrot');
    const whole = { emoji_name: 'parrot', emoji_code: code, reaction_type: 'realm_emoji' };
    expect(await emojiAfter({ emoji_name: 'parrot' })).toEqual(whole);
    expect(await emojiAfter(whole)).toEqual(whole);
    expect(await emojiAfter({ emoji_name: 'parrot', emoji_code: code })).toEqual(whole);
  });

  it.each(['car', 'zulip'])(
    'takes precedence over the built-in emoji of the same name: %s',
    async (name) => {
      const code = await addEmoji(name);
      expect(await emojiAfter({ emoji_name: name })).toMatchObject({ emoji_code: code });
    },
  );

  it('is not found by its name after its deactivation', async () => {
    const code = await addEmoji('car', true);
    expect(await emojiAfter({ emoji_name: 'car' })).toMatchObject({ emoji_code: '1f697' });
    const fields = { emoji_name: 'car', emoji_code: code, reaction_type: 'realm_emoji' };
    expect(await setEmoji(fields)).toMatchObject(
      badRequest('This custom emoji has been deactivated.'),
    );
  });

  it('requires its own name', async () => {
    const code = await addEmoji('parrot');
    const fields = { emoji_name: 'car', emoji_code: code, reaction_type: 'realm_emoji' };
    expect(await setEmoji(fields)).toMatchObject(badRequest('Invalid custom emoji name.'));
  });

  it.each(['0', '-1', '2147483647', '99999999999999999999', '1.5', 'parrot', '1f697', ''])(
    'rejects the code "%s"',
    async (code) => {
      const fields = { emoji_name: 'car', emoji_code: code, reaction_type: 'realm_emoji' };
      expect(await setEmoji(fields)).toMatchObject(badRequest('Invalid custom emoji.'));
    },
  );

  it('is not found in another organisation', async () => {
    const code = await addEmoji('parrot');
    const fields = { emoji_name: 'parrot', emoji_code: code, reaction_type: 'realm_emoji' };
    const { api } = await (await addOrganisation(system)).addPerson();
    expect(await api.post('/users/me/status', fields)).toMatchObject(
      badRequest('Invalid custom emoji.'),
    );
    expect(await api.post('/users/me/status', { emoji_name: 'parrot' })).toMatchObject(success);
  });

  it('rejects a name with an unpaired surrogate', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = '{"emoji_name":"half \\ud83d"}';
    const reply = await me.api.send('POST', '/users/me/status', { headers, body });
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });
});
