import { describe, expect, it } from '@jest/globals';
import { errorText, isDiskFull, isOutage, isStatementTimeout, isStoreDown } from './errors.js';

describe(errorText.name, () => {
  it('is the message of an error, or the value as text', () => {
    expect(errorText(new Error('broken'))).toBe('broken');
    expect(errorText('broken')).toBe('broken');
    expect(errorText(undefined)).toBe('undefined');
  });

  it('says that Redis is not connected', () => {
    const message = "Stream isn't writeable and enableOfflineQueue options is false";
    expect(errorText(new Error(message))).toBe('Redis is not connected');
  });

  it.each([
    ['timeout exceeded when trying to connect', 'PostgreSQL'],
    ['Connection terminated unexpectedly', 'PostgreSQL'],
    ['Query read timeout', 'PostgreSQL'],
    ['Connection is closed.', 'Redis'],
    ['Command timed out', 'Redis'],
  ])('names the store of "%s"', (message, store) => {
    expect(errorText(new Error(message))).toBe(`${store}: ${message}`);
  });

  it('joins the messages of several attempts', () => {
    const tries = [
      new Error('connect ECONNREFUSED ::1:1'),
      new Error('connect ECONNREFUSED 127.0.0.1:1'),
    ];
    expect(errorText(new AggregateError(tries))).toBe(
      'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    );
  });
});

const withCode = (code: string) => Object.assign(new Error('trouble'), { code });

describe(isDiskFull.name, () => {
  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])('recognises %s', (code) => {
    expect(isDiskFull(withCode(code))).toBe(true);
    expect(isDiskFull(new Error('not kept', { cause: withCode(code) }))).toBe(true);
  });

  it.each<unknown>([withCode('ENOENT'), new Error('ENOSPC'), 'ENOSPC', null, undefined])(
    'does not recognise %s',
    (thrown) => {
      expect(isDiskFull(thrown)).toBe(false);
    },
  );
});

describe(isStoreDown.name, () => {
  it.each([
    ['57P03', true],
    ['57014', false],
    ['23505', false],
  ])('of %s is %s', (code, expected) => {
    expect(isStoreDown(withCode(code))).toBe(expected);
  });
});

describe(isStatementTimeout.name, () => {
  it('searches the causes', () => {
    expect(isStatementTimeout(withCode('57014'))).toBe(true);
    expect(isStatementTimeout(new Error('query failed', { cause: withCode('57014') }))).toBe(true);
    expect(isStatementTimeout(withCode('57P03'))).toBe(false);
  });
});

describe(isOutage.name, () => {
  it.each(
    [
      'ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE ENOTFOUND ENETUNREACH'.split(' '),
      'CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID SELF_SIGNED_CERT_IN_CHAIN'.split(' '),
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      '57P01 57P02 57P03 57P04 57P05 53100 53300 57014 25006 25P03 08006 08P01'.split(' '),
      '28P01 3D000 58030 40001 40P01 55P03'.split(' '),
      'P1000 P1001 P1002 P1008 P1017 P2024 P2028 P2034'.split(' '),
      ['STORAGE_AWAY'],
    ].flat(),
  )('recognises the code %s', (code) => {
    expect(isOutage(withCode(code))).toBe(true);
  });

  it.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
    'Query read timeout',
    "Stream isn't writeable and enableOfflineQueue options is false",
    'Connection is closed.',
    'Command timed out',
    'Command aborted due to connection close',
    'Reached the max retries per request limit (which is 0). Refer to the options.',
    'Redis does not answer',
    'LOADING Redis is loading the dataset in memory',
    'NOREPLICAS Not enough good replicas to write.',
    'EXECABORT Transaction discarded because of previous errors.',
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    'CLUSTERDOWN The cluster is down',
    'No node has slot 5798',
    'Too many Cluster redirections. Last error: ReplyError: MOVED 12067 127.0.0.1:12515',
    'MOVED 16130 127.0.0.1:12513',
    'Failed to refresh slots cache.',
  ])('recognises the text "%s"', (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });

  it('searches the causes', () => {
    expect(isOutage(new Error('query failed', { cause: withCode('ECONNREFUSED') }))).toBe(true);
  });

  it.each([
    { originalCode: '57P03' },
    { kind: 'postgres', code: '57P03' },
    { kind: 'SocketTimeout' },
  ])('searches the driver error in an error of Prisma: %p', (cause) => {
    const driverAdapterError = Object.assign(new Error('inner'), { cause });
    const thrown = Object.assign(withCode('P2010'), { meta: { driverAdapterError } });
    expect(isOutage(thrown)).toBe(true);
  });

  it('stops in a cycle of causes', () => {
    const ring = new Error('ring');
    ring.cause = ring;
    expect(isOutage(ring)).toBe(false);
  });

  it.each<unknown>([
    new TypeError('x is not a function'),
    // a unique violation, a syntax error, and Prisma's unique violation
    ...['23505', '42601', 'P2002', 'XECONNREFUSED'].map(withCode),
    new Error('the message says ECONNREFUSED'),
    new Error('NOPERM this user has no permissions'),
    new Error('WRONGTYPE Operation against a key'),
    'ECONNREFUSED',
    undefined,
    null,
  ])('treats %s as a defect', (thrown) => {
    expect(isOutage(thrown)).toBe(false);
  });
});
