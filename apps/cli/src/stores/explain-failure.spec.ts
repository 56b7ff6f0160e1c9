import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '#platform/config';
import { ApiError } from '#platform/contracts';
import { userErrors } from '#directory/users';
import { CommandFailure } from '../command-failure.js';
import { explainFailure, redisUnreachable } from './explain-failure.js';

const connections = () => ({
  databaseUrl: 'postgresql://carillon:geheim@db.example.org:5432/chat',
  redisUrl: 'redis://:geheim@redis.example.org:6379',
  queueRedisUrls: null,
  externalUrl: null,
});

const withCode = (code: string, message = 'trouble') => Object.assign(new Error(message), { code });

describe(explainFailure.name, () => {
  it.each([
    [
      'a refused connection',
      withCode('ECONNREFUSED', 'connect ECONNREFUSED'),
      'database_unreachable',
    ],
    [
      'a refused connection to each address',
      new AggregateError([withCode('ECONNREFUSED')]),
      'database_unreachable',
    ],
    ['a connection timeout', new Error('timeout expired'), 'database_unreachable'],
    ['a wrong password', withCode('28P01'), 'database_unreachable'],
    ['a missing table', withCode('42P01'), 'database_outdated'],
    ['a missing column, reported by Prisma', withCode('P2022'), 'unexpected'],
    ['the same, with its cause', withCause(withCode('42703')), 'database_outdated'],
    ['a cancelled statement', withCode('57014'), 'took_too_long'],
    ['a refusal by a use case', new ApiError(userErrors.emailInUse), 'refused'],
    ['a wrong configuration', new ConfigError(['API_KEY_SECRET is not set']), 'not_configured'],
    ['an unreachable Redis', new CommandFailure('redis_unreachable', 'down'), 'redis_unreachable'],
    ['anything else', new TypeError('x is not a function'), 'unexpected'],
    ['a value that is not an error', 'text', 'unexpected'],
  ])('names %s', (_, thrown, code) => {
    const failure = explainFailure(thrown, connections);
    expect(failure).toMatchObject({ code, exitCode: 1 });
    expect(failure.message).not.toContain('geheim');
  });

  it('says that a cancelled statement may have waited for a lock, and not only searched', () => {
    const { message } = explainFailure(withCode('57014'), connections);
    expect(message).toMatch(/holds a lock.*pg_stat_activity.*--user or --id/);
  });

  it('names the variable of the address', () => {
    expect(explainFailure(withCode('ECONNREFUSED'), connections).message).toMatch(
      /db\.example\.org:5432.*DATABASE_URL/,
    );
  });
});

describe(redisUnreachable.name, () => {
  it('names the variable and the hosts of the addresses, without their passwords', () => {
    const urls = ['redis://:geheim@one.example.org:6379', 'redis://:geheim@two.example.org:6379'];
    const { code, message } = redisUnreachable(urls, 'QUEUE_REDIS_URL', new Error('down'));
    expect(code).toBe('redis_unreachable');
    expect(message).toMatch(
      /one\.example\.org:6379, two\.example\.org:6379 .*: down\. .*QUEUE_REDIS_URL/,
    );
    expect(message).not.toContain('geheim');
  });
});

function withCause(cause: Error): Error {
  return Object.assign(new Error('Invalid invocation', { cause }), { code: 'P2010' });
}
