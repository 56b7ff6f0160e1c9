import { describe, expect, it } from '@jest/globals';
import { ConfigError, readApiGatewayConfig } from './index.js';
import { videoCallsOf } from './video-calls.variables.js';

const needed = {
  DATABASE_URL: 'postgresql://u@db/carillon',
  REDIS_URL: 'redis://cache',
  API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
};

const read = (environment: Record<string, string>) =>
  readApiGatewayConfig({ ...needed, ...environment }).videoCalls;

const webex = { WEBEX_CLIENT_ID: 'webex-id', WEBEX_CLIENT_SECRET: 'webex-secret' };
const zoom = { ZOOM_CLIENT_ID: 'zoom-id', ZOOM_CLIENT_SECRET: 'zoom-secret' };

describe(videoCallsOf.name, () => {
  it('switches nothing on by itself', () => {
    expect(read({})).toEqual({ deadlineMs: 5000, webex: null, zoom: null });
    expect(read({ WEBEX_CLIENT_ID: '', WEBEX_CLIENT_SECRET: '' })).toMatchObject({ webex: null });
  });

  it('switches a provider on by its pair, at its real address', () => {
    expect(read(webex)).toEqual({
      deadlineMs: 5000,
      webex: {
        clientId: 'webex-id',
        clientSecret: 'webex-secret',
        apiUrl: 'https://webexapis.com',
      },
      zoom: null,
    });
    expect(read(zoom)).toMatchObject({
      webex: null,
      zoom: {
        clientId: 'zoom-id',
        clientSecret: 'zoom-secret',
        oauthUrl: 'https://zoom.us',
        apiUrl: 'https://api.zoom.us',
      },
    });
  });

  it('takes other addresses, with or without a slash at the end', () => {
    const environment = { ...webex, WEBEX_API_URL: 'http://127.0.0.1:8000/webex/' };
    expect(read(environment)).toMatchObject({ webex: { apiUrl: 'http://127.0.0.1:8000/webex' } });
    expect(() => read({ ZOOM_API_URL: 'ftp://zoom.us' })).toThrow('ZOOM_API_URL: expected');
  });

  it.each([
    ['WEBEX_CLIENT_SECRET', { WEBEX_CLIENT_ID: 'id' }],
    ['WEBEX_CLIENT_ID', { WEBEX_CLIENT_SECRET: 'hunter2', ...zoom }],
    ['ZOOM_CLIENT_SECRET', { ZOOM_CLIENT_ID: 'id', ...webex }],
    ['ZOOM_CLIENT_ID', { ZOOM_CLIENT_SECRET: 'hunter2' }],
  ])('names %s when only its other half is set, and shows no value', (name, environment) => {
    expect(() => read(environment)).toThrow(ConfigError);
    expect(() => read(environment)).toThrow(`${name} is not set, but `);
    expect(() => read(environment)).not.toThrow('hunter2');
  });

  it.each(['99', '30001', 'soon'])('refuses a deadline of %s ms', (given) => {
    expect(() => read({ VIDEO_CALL_DEADLINE_MS: given })).toThrow('VIDEO_CALL_DEADLINE_MS');
  });
});
