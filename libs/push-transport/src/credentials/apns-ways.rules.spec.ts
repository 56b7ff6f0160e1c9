import { describe, expect, it } from '@jest/globals';
import { type ProviderAnswer, refusal } from '../transport/push-transport.js';
import { answerOfBoth, isUnknownThere, waysToTry } from './apns-ways.rules.js';

const way = (name: string, environment: 'production' | 'sandbox') => ({ name, environment });

describe(waysToTry.name, () => {
  const ways = {
    named: new Map([
      ['org.example.a', [way('a', 'production'), way('a', 'sandbox')]],
      ['org.example.b', [way('b', 'production')]],
    ]),
    others: [way('other', 'sandbox'), way('other', 'production')],
  };
  const tried = (topic: string, known: 'production' | 'sandbox' | null) =>
    waysToTry(ways, topic, known).map(({ name, environment }) => `${name} ${environment}`);

  it.each([
    ['org.example.a', null, ['a production', 'a sandbox']],
    ['org.example.a', 'sandbox', ['a sandbox']],
    ['org.example.b', 'production', ['b production']],
    ['org.example.b', 'sandbox', []],
    ['org.example.c', null, ['other sandbox', 'other production']],
    ['org.example.c', 'production', ['other production']],
  ] as const)('for %s and a device of %s: %j', (topic, known, expected) => {
    expect(tried(topic, known)).toEqual(expected);
  });

  it('knows no way for a topic that nothing is for', () => {
    expect(waysToTry({ named: new Map(), others: [] }, 'org.example.a', null)).toEqual([]);
  });
});

const bad = refusal({ status: 400, reason: 'BadDeviceToken' });

describe(isUnknownThere.name, () => {
  it.each<[ProviderAnswer, boolean]>([
    [bad, true],
    [refusal({ status: 400, reason: 'DeviceTokenNotForTopic' }), false],
    [refusal({ status: 410, reason: 'Unregistered' }), false],
    [{ kind: 'accepted' }, false],
    [{ kind: 'unanswered', reason: 'deadline' }, false],
  ])('says of %j: %s', (answer, expected) => {
    expect(isUnknownThere(answer)).toBe(expected);
  });
});

describe(answerOfBoth.name, () => {
  const gone = refusal({ status: 410, reason: 'Unregistered', deadSince: 1 });
  const busy = refusal({ status: 429, reason: 'TooManyRequests' });
  const trouble = refusal({ status: 503, reason: 'ServiceUnavailable' });
  const lost: ProviderAnswer = { kind: 'unanswered', reason: 'connection' };
  const accepted: ProviderAnswer = { kind: 'accepted', environment: 'sandbox' };
  const withdrawn: ProviderAnswer = { kind: 'withdrawn' };
  it.each<[string, ProviderAnswer, ProviderAnswer]>([
    ['accepted there', accepted, accepted],
    ['withdrawn meanwhile', withdrawn, withdrawn],
    ['dead there', gone, gone],
    ['throttled there', busy, busy],
    ['in trouble there', trouble, trouble],
    ['not answered there', lost, lost],
    ['not known there either', bad, bad],
    [
      'our key is not for there',
      refusal({ status: 403, reason: 'BadEnvironmentKeyIdInToken' }),
      bad,
    ],
    [
      'our certificate is not for there',
      refusal({ status: 403, reason: 'BadCertificateEnvironment' }),
      bad,
    ],
    ['not configured there', { kind: 'misconfigured', reason: 'no key' }, bad],
  ])('%s', (_what, second, expected) => {
    expect(answerOfBoth(bad, second)).toEqual(expected);
  });
});
