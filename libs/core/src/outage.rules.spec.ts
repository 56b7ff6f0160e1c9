import { describe, expect, it } from '@jest/globals';
import { isOutage } from './outage.rules.js';

const withCode = (code: string) => Object.assign(new Error('trouble'), { code });

describe(isOutage.name, () => {
  it.each(
    [
      'ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE ENOTFOUND'.split(' '),
      '57P01 57P02 57P03 57P05 53100 53300 57014 08006 08P01'.split(' '),
      'P1001 P1002 P1008 P1017 P2024 P2028'.split(' '),
      ['STORAGE_AWAY'],
    ].flat(),
  )('knows the code %s', (code) => {
    expect(isOutage(withCode(code))).toBe(true);
  });

  it.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Query read timeout',
    "Stream isn't writeable and enableOfflineQueue options is false",
    'Connection is closed.',
    'Command timed out',
    'Command aborted due to connection close',
    'Reached the max retries per request limit (which is 0). Refer to the options.',
    'Redis does not answer',
    'LOADING Redis is loading the dataset in memory',
  ])('knows the text "%s"', (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });

  it('looks at the causes', () => {
    expect(isOutage(new Error('query failed', { cause: withCode('ECONNREFUSED') }))).toBe(true);
  });

  it.each([
    { originalCode: '57P03' },
    { kind: 'postgres', code: '57P03' },
    { kind: 'SocketTimeout' },
  ])('looks at what Prisma keeps of its driver: %p', (cause) => {
    const driverAdapterError = Object.assign(new Error('inner'), { cause });
    const thrown = Object.assign(withCode('P2010'), { meta: { driverAdapterError } });
    expect(isOutage(thrown)).toBe(true);
  });

  it('does not turn for ever in a ring of causes', () => {
    const ring = new Error('ring');
    ring.cause = ring;
    expect(isOutage(ring)).toBe(false);
  });

  it.each<unknown>([
    new TypeError('x is not a function'),
    // a unique violation, a syntax error, and Prisma's unique violation
    ...['23505', '42601', 'P2002', 'XECONNREFUSED'].map(withCode),
    new Error('the message says ECONNREFUSED'),
    'ECONNREFUSED',
    undefined,
    null,
  ])('takes %s for a defect', (thrown) => {
    expect(isOutage(thrown)).toBe(false);
  });
});
