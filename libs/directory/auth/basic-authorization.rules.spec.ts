import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#platform/contracts';
import { digestOfApiKey } from './api-key.js';
import { parseBasicAuthorization } from './basic-authorization.rules.js';

const KEY = 'abcdefghijklmnopqrstuvwxyzABCDEF';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

function refusalOf(header: string): ApiError {
  try {
    parseBasicAuthorization(header);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('The header was not refused');
}

describe(parseBasicAuthorization.name, () => {
  it.each([
    basic(`me@chat.test:${KEY}`),
    basic(` me@chat.test : ${KEY}\n`),
    basic(`me@chat.test:${KEY}`).replace('Basic', 'bASIC'),
    basic(`me@chat.test:${KEY}`).replace(' ', '   '),
  ])('reads %j', (header) => {
    expect(parseBasicAuthorization(header)).toEqual({
      email: 'me@chat.test',
      apiKeyDigest: digestOfApiKey(KEY),
    });
  });

  it.each<[string, string, number, string, string]>([
    [
      'another scheme',
      `Bearer ${KEY}`,
      400,
      'BAD_REQUEST',
      'This endpoint requires HTTP basic authentication.',
    ],
    [
      'an empty header',
      '',
      400,
      'BAD_REQUEST',
      'This endpoint requires HTTP basic authentication.',
    ],
    ...[
      ['no value', 'Basic'],
      ['broken Base64', 'Basic ???'],
      ['two values', `${basic(`me@chat.test:${KEY}`)} more`],
      ['no UTF-8', 'Basic //46/w=='],
      ['no colon', basic('me@chat.test')],
      ['two colons', basic(`me@chat.test:${KEY}:`)],
    ].map(([name = '', header = '']): [string, string, number, string, string] => [
      name,
      header,
      401,
      'UNAUTHORIZED',
      'Invalid authorization header for basic auth',
    ]),
    ...['', KEY.slice(1), `${KEY}a`, `${KEY.slice(1)}-`, `${KEY.slice(1)}é`].map(
      (key): [string, string, number, string, string] => [
        `the key ${JSON.stringify(key)}`,
        basic(`me@chat.test:${key}`),
        401,
        'UNAUTHORIZED',
        'Malformed API key',
      ],
    ),
  ])('refuses %s', (_name, header, status, code, message) => {
    const refusal = refusalOf(header);
    expect(refusal.error).toMatchObject({ status, code });
    expect(refusal.message).toBe(message);
  });

  it('does not include the rejected key in the error', () => {
    expect(refusalOf(basic(`me@chat.test:${KEY}-secret`)).message).not.toContain('secret');
  });
});
