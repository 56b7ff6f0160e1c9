import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '#config';
import { ApiError } from '#contracts';
import { CommandFailure } from '../command-failure.js';
import { explainFailure } from './explain-failure.js';

const place = () => ({
  databaseUrl: 'postgresql://carillon:geheim@db.example.org:5432/chat',
  redisUrl: 'redis://:geheim@redis.example.org:6379',
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
      'one refused at each address',
      new AggregateError([withCode('ECONNREFUSED')]),
      'database_unreachable',
    ],
    ['one that takes too long', new Error('timeout expired'), 'database_unreachable'],
    ['a wrong password', withCode('28P01'), 'database_unreachable'],
    ['a table that is not there', withCode('42P01'), 'database_outdated'],
    ['a column that is not there, told by Prisma', withCode('P2022'), 'unexpected'],
    ['the same, with its cause', withCause(withCode('42703')), 'database_outdated'],
    ['a search that was broken off', withCode('57014'), 'took_too_long'],
    ['a use case that says no', new ApiError('emailInUse'), 'refused'],
    ['a wrong configuration', new ConfigError(['API_KEY_SECRET is not set']), 'not_configured'],
    ['Redis away', new CommandFailure('redis_unreachable', 'away'), 'redis_unreachable'],
    ['anything else', new TypeError('x is not a function'), 'unexpected'],
    ['what is no error', 'text', 'unexpected'],
  ])('names %s', (_, thrown, code) => {
    const failure = explainFailure(thrown, place);
    expect(failure).toMatchObject({ code, exitCode: 1 });
    expect(failure.message).not.toContain('geheim');
  });

  it('names the variable that says where it was looked for', () => {
    expect(explainFailure(withCode('ECONNREFUSED'), place).message).toMatch(
      /db\.example\.org:5432.*DATABASE_URL/,
    );
    const away = new CommandFailure('redis_unreachable', 'away');
    expect(explainFailure(away, place).message).toMatch(/redis\.example\.org:6379.*REDIS_URL/);
  });
});

function withCause(cause: Error): Error {
  return Object.assign(new Error('Invalid invocation', { cause }), { code: 'P2010' });
}
