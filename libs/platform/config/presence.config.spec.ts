import { describe, expect, it } from '@jest/globals';
import { readPresenceConfig } from './presence.config.js';
import { ConfigError } from './read-variables.js';

const urlsOf = (PRESENCE_REDIS_URL?: string) =>
  readPresenceConfig({
    DATABASE_URL: 'postgresql://u@db/carillon',
    REDIS_URL: 'redis://house:6379/3',
    PRESENCE_REDIS_URL,
  }).redis.urls;

describe('PRESENCE_REDIS_URL', () => {
  it('is REDIS_URL by default', () => {
    expect(urlsOf()).toEqual(['redis://house:6379/3']);
  });

  it('accepts a single server with a database number', () => {
    expect(urlsOf('rediss://:secret@presence:6380/2')).toEqual([
      'rediss://:secret@presence:6380/2',
    ]);
  });

  it('accepts several Sentinels', () => {
    const url = 'redis+sentinel://:secret@a:26379,b:26379,c:26379/presence/0';
    expect(urlsOf(url)).toEqual([url]);
  });

  it('accepts the nodes of a cluster', () => {
    expect(urlsOf('redis://u:p@a:7000, redis://u:p@b:7000')).toEqual([
      'redis://u:p@a:7000',
      'redis://u:p@b:7000',
    ]);
  });

  it.each([
    ['another protocol', 'http://a:7000', 'begins with redis:// or rediss://'],
    ['a node without a protocol', 'redis://a:7000,b:7000', 'begins with redis:// or rediss://'],
    ['an address without a host', 'redis://', 'begins with redis:// or rediss://'],
    ['a list of commas only', ',,', 'begins with redis:// or rediss://'],
    ['a node twice', 'redis://a:7000,redis://a:7000', 'each node of the cluster once'],
    ['two passwords', 'redis://:x@a:7000,redis://:y@b:7000', 'the same protocol, user and'],
    ['two protocols', 'redis://a:7000,rediss://b:7000', 'the same protocol, user and'],
    [
      'a database number in a cluster',
      'redis://a:7000/1,redis://b:7000/1',
      'without a database number',
    ],
  ])('rejects %s, names the variable and shows no address', (_, given, expected) => {
    const refused = () => urlsOf(given);
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(/PRESENCE_REDIS_URL: expected/);
    expect(refused).toThrow(expected);
    expect(refused).not.toThrow(/a:7000/);
  });
});
