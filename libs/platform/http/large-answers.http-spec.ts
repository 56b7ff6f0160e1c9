import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import { type EdgeTestApp, startEdgeTestApp } from './edge-test-app.fixture.js';

const signedIn = { authorization: 'Basic in' };

describe.each([
  ['of the framework', '/large', '/plain'],
  ['that was deferred', '/api/v1/waiting?outcome=large', '/api/v1/waiting?outcome=late'],
  [
    'of a direct route',
    '/api/v1/waiting_directly?outcome=large',
    '/api/v1/waiting_directly?outcome=late',
  ],
])('a large answer %s', (_, large, small) => {
  let app: EdgeTestApp;
  const call = (path: string) => app.send(path, { headers: signedIn });

  beforeEach(async () => {
    app = await startEdgeTestApp();
  });

  afterEach(() => app.close());

  it('is refused while the client does not read an earlier one', async () => {
    const connection = await RawConnection.open(app.port);
    connection.request(`GET ${large}`, signedIn);
    expect(await connection.status()).toBe(200);
    connection.socket.pause();
    const reply = await call(large);
    expect(reply).toMatchObject({
      status: 429,
      headers: {
        'retry-after': '1',
        'content-type': 'application/json',
        'content-length': String(reply.text.length),
      },
      body: { result: 'error', code: 'RATE_LIMIT_HIT' },
    });
    expect((await call(small)).status).toBe(200);
    connection.socket.destroy();
    await eventually(async () => expect((await call(large)).status).toBe(200));
  });
});
