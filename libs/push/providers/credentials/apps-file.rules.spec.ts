import { describe, expect, it } from '@jest/globals';
import { parseAppsFile } from './apps-file.rules.js';
import { CredentialFault } from '#platform/outbound';

const both = ['production', 'sandbox'] as const;
const byKey = { key_file: 'a.p8', key_id: 'KEY1234567', team_id: 'TEAM123456' };
const byCertificate = { certificate_file: 'b.pem', private_key_file: 'b-key.pem' };

const parse = (entries: unknown) => parseAppsFile(JSON.stringify(entries), both);

describe(parseAppsFile.name, () => {
  it('reads apps with a key and apps with a certificate', () => {
    expect(
      parse([
        { topics: ['org.example.a', 'org.example.b'], ...byKey },
        { topics: ['org.example.c'], environments: ['sandbox'], ...byCertificate },
      ]),
    ).toEqual([
      {
        topics: ['org.example.a', 'org.example.b'],
        environments: both,
        signIn: { kind: 'token', keyFile: 'a.p8', keyId: 'KEY1234567', teamId: 'TEAM123456' },
      },
      {
        topics: ['org.example.c'],
        environments: ['sandbox'],
        signIn: { kind: 'certificate', certificateFile: 'b.pem', privateKeyFile: 'b-key.pem' },
      },
    ]);
  });

  it('allows a certificate for each environment of a topic', () => {
    const entries = both.map((environment) => ({
      topics: ['org.example.a'],
      environments: [environment],
      ...byCertificate,
    }));
    expect(parse(entries)).toHaveLength(2);
  });

  const topics = ['org.example.a'];
  it.each([
    ['no list', { topics, ...byKey }, 'expected a JSON list with an entry for each app'],
    ['an empty list', [], 'expected a JSON list with an entry for each app'],
    ['something else in the list', ['org.example.a'], 'entry 1: expected an object'],
    ['no topics', [{ ...byKey }], 'entry 1: topics: expected a list'],
    ['an empty list of topics', [{ topics: [], ...byKey }], 'entry 1: topics: expected a list'],
    [
      'an invalid topic',
      [{ topics: ['chat'], ...byKey }],
      'entry 1: topics.0: expected a bundle id',
    ],
    ['no sign-in', [{ topics }], 'entry 1: key_file: is missing, and so is certificate_file'],
    [
      'two sign-ins',
      [{ topics, ...byKey, ...byCertificate }],
      'entry 1: certificate_file: there is a key too',
    ],
    [
      'a key without an id',
      [{ topics, ...byKey, key_id: undefined }],
      'entry 1: key_id: is missing',
    ],
    [
      'a key without a team',
      [{ topics, ...byKey, team_id: undefined }],
      'entry 1: team_id: is missing',
    ],
    [
      'a key without a file',
      [{ topics, ...byKey, key_file: undefined }],
      'entry 1: key_file: is missing',
    ],
    [
      'an id of another form',
      [{ topics, ...byKey, key_id: 'key' }],
      'entry 1: key_id: expected ten',
    ],
    [
      'a certificate without a key',
      [{ topics, certificate_file: 'b.pem' }],
      'entry 1: private_key_file: is missing',
    ],
    [
      'a key of no certificate',
      [{ topics, private_key_file: 'b.pem' }],
      'entry 1: certificate_file: is missing',
    ],
    [
      'a field that is not known',
      [{ topics, ...byKey, keyfile: 'x' }],
      'entry 1: Unrecognized key: "keyfile"',
    ],
    [
      'an unknown environment',
      [{ topics, environments: ['staging'], ...byKey }],
      'entry 1: environments.0: expected production or sandbox',
    ],
    [
      'a topic twice',
      [
        { topics: ['org.example.b'], ...byKey },
        { topics, ...byKey },
        { topics, environments: ['sandbox'], ...byCertificate },
      ],
      'entry 3: topics: org.example.a in sandbox is that of entry 2 already',
    ],
  ])('rejects %s with the place', (_what, entries, message) => {
    expect(() => parse(entries)).toThrow(message);
    expect(() => parse(entries)).toThrow(CredentialFault);
  });

  it('names all faults at once', () => {
    expect(() => parse([{ topics }, { topics: ['x'], ...byKey }])).toThrow(
      /entry 1: key_file: .*; entry 2: topics\.0: /,
    );
  });

  it('rejects an environment that this installation does not have', () => {
    const text = JSON.stringify([{ topics, environments: ['sandbox'], ...byKey }]);
    expect(() => parseAppsFile(text, ['production'])).toThrow(
      'entry 1: environments: sandbox is not among APNS_ENVIRONMENTS',
    );
  });

  it('rejects invalid JSON without showing it', () => {
    expect(() => parseAppsFile('[{"key": hunter2', both)).toThrow('expected a JSON list');
    expect(() => parseAppsFile('[{"key": hunter2', both)).not.toThrow('hunter2');
  });
});
