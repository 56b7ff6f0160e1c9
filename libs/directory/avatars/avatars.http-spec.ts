import { describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '#test/api-client';
import { useGateway } from '#test/start-gateway';

const system = useGateway();

const load = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const reply = await fetch(`${system.gatewayUrl}${path}`, { headers });
  return {
    status: reply.status,
    headers: reply.headers,
    bytes: Buffer.from(await reply.arrayBuffer()),
  };
};

/** The width in pixels. */
const widthOf = ({ bytes }: { readonly bytes: Buffer }) => bytes.readUInt32BE(16);

describe('the pictures of accounts', () => {
  it('are the same with, without and with a wrong sign-in', async () => {
    const path = `/avatar/${system.user('alice').user_id}`;
    const plain = await load(path);
    expect(plain.status).toBe(200);
    expect(plain.headers.get('content-type')).toBe('image/png');
    expect(plain.headers.get('cache-control')).toBe('public, max-age=86400');
    const authorization = basicAuthorization(system.user('alice'));
    const wrong = basicAuthorization({ email: 'nobody@chat.test', api_key: 'x'.repeat(32) });
    expect((await load(path, { authorization })).bytes).toEqual(plain.bytes);
    expect((await load(path, { authorization: wrong })).bytes).toEqual(plain.bytes);
  });

  it('are at the addresses of an account', async () => {
    const api = system.api('alice');
    const { body } = await api.get('/users', { client_gravatar: false });
    const [first] = body['members'] as { avatar_url: string }[];
    expect(widthOf(await load(String(first?.avatar_url)))).toBe(120);
    const state = await api.post('/register', { fetch_event_types: ['realm_user'] });
    expect(widthOf(await load(String(state.body['avatar_url'])))).toBe(120);
    expect(widthOf(await load(String(state.body['avatar_url_medium'])))).toBe(480);
  });

  it('are also at the address of the larger picture that clients derive', async () => {
    const path = `/avatar/${system.user('alice').user_id}`;
    const derived = await load(`${path}-medium.png?version=1`);
    expect(derived.bytes).toEqual((await load(`${path}/medium`)).bytes);
  });

  it('do not reveal whether an account exists', async () => {
    expect((await load('/avatar/2147483647')).status).toBe(200);
    expect((await load('/avatar/99999999999/medium')).status).toBe(200);
    expect((await load('/avatar/99999999999-medium.png')).status).toBe(200);
    expect((await load('/avatar/nobody')).status).toBe(404);
  });

  it('are returned in parts', async () => {
    const path = `/avatar/${system.user('bob').user_id}/medium`;
    const whole = await load(path);
    const part = await load(path, { Range: 'bytes=1-3' });
    expect(part).toMatchObject({ status: 206, bytes: Buffer.from('PNG') });
    expect(whole.bytes.subarray(1, 4)).toEqual(part.bytes);
  });
});
