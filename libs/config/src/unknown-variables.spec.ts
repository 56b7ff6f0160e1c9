import { describe, expect, it } from '@jest/globals';
import { unknownVariables } from './unknown-variables.js';

describe(unknownVariables.name, () => {
  it('names what begins like a variable of ours and is none', () => {
    expect(
      unknownVariables({ SIGN_IN_CACHE_SECNDS: '5', PUSH_CONCURENCY: '9', APNS_KEYFILE: 'secret' }),
    ).toEqual(['APNS_KEYFILE', 'PUSH_CONCURENCY', 'SIGN_IN_CACHE_SECNDS']);
  });

  it.each([
    ['what any program of ours reads', { PUSH_CONCURRENCY: '9', SANDBOX_PORT: '1', PORT: '80' }],
    ['what is set to nothing', { PUSH_CONCURENCY: '' }],
    [
      'what begins otherwise',
      { PATH: '/bin', NODE_OPTIONS: '--enable-source-maps', TERM: 'xterm' },
    ],
    ["what is OpenTelemetry's", { OTEL_RESOURCE_ATTRIBUTES: 'a=b' }],
    [
      'what Kubernetes tells of services',
      {
        PRESENCE_SERVICE_HOST: '10.0.0.1',
        PRESENCE_SERVICE_PORT_RPC: '9993',
        REDIS_PORT: 'tcp://10.0.0.2:6379',
        REDIS_PORT_6379_TCP_ADDR: '10.0.0.2',
      },
    ],
  ])('passes over %s', (_, environment) => {
    expect(unknownVariables(environment)).toEqual([]);
  });
});
