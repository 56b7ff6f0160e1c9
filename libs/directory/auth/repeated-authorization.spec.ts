import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#platform/contracts';
import { parseBasicAuthorization } from './basic-authorization.rules.js';
import { RepeatedAuthorization } from './repeated-authorization.js';

const headerOf = (email: string, letter: string): string =>
  `Basic ${Buffer.from(`${email}:${letter.repeat(32)}`).toString('base64')}`;

describe(RepeatedAuthorization.name, () => {
  const one = headerOf('one@carillon.test', 'a');
  const other = headerOf('other@carillon.test', 'b');

  it('parses a repeated header of a connection once', () => {
    const sut = new RepeatedAuthorization();
    const connection = {};
    const first = sut.credentialsOf(connection, one);
    expect(first).toEqual(parseBasicAuthorization(one));
    expect(sut.credentialsOf(connection, one)).toBe(first);
  });

  it('gives the credentials of each header, also after others on the connection', () => {
    const sut = new RepeatedAuthorization();
    const connection = {};
    for (const header of [one, other, headerOf('one@carillon.test', 'c'), one]) {
      expect(sut.credentialsOf(connection, header)).toEqual(parseBasicAuthorization(header));
    }
    expect(sut.credentialsOf({}, other)).toEqual(parseBasicAuthorization(other));
  });

  it('refuses a missing or a malformed header after a valid one', () => {
    const sut = new RepeatedAuthorization();
    const connection = {};
    sut.credentialsOf(connection, one);
    for (const header of [undefined, `${one}!`, 'Bearer token']) {
      expect(() => sut.credentialsOf(connection, header)).toThrow(ApiError);
    }
  });
});
