import { describe, expect, it } from '@jest/globals';
import { type ProviderAnswer, refusal } from '../transport/provider-answer.rules.js';
import { answerOfBoth, isUnknownDevice, routesFor } from './apns-router.transport.js';

const route = (name: string, environment: 'production' | 'sandbox') => ({ name, environment });

describe(routesFor.name, () => {
  const routes = {
    named: new Map([
      ['org.example.a', [route('a', 'production'), route('a', 'sandbox')]],
      ['org.example.b', [route('b', 'production')]],
    ]),
    others: [route('other', 'sandbox'), route('other', 'production')],
  };
  const tried = (topic: string, known: 'production' | 'sandbox' | null) =>
    routesFor(routes, topic, known).map(({ name, environment }) => `${name} ${environment}`);

  it.each([
    ['org.example.a', null, ['a production', 'a sandbox']],
    ['org.example.a', 'sandbox', ['a sandbox']],
    ['org.example.b', 'production', ['b production']],
    ['org.example.b', 'sandbox', []],
    ['org.example.c', null, ['other sandbox', 'other production']],
    ['org.example.c', 'production', ['other production']],
  ] as const)('tries for topic %s and environment %s: %j', (topic, known, expected) => {
    expect(tried(topic, known)).toEqual(expected);
  });

  it('has no route for a topic without a credential', () => {
    expect(routesFor({ named: new Map(), others: [] }, 'org.example.a', null)).toEqual([]);
  });
});

const bad = refusal({ status: 400, reason: 'BadDeviceToken' });

describe(isUnknownDevice.name, () => {
  it.each<[ProviderAnswer, boolean]>([
    [bad, true],
    [refusal({ status: 400, reason: 'DeviceTokenNotForTopic' }), false],
    [refusal({ status: 410, reason: 'Unregistered' }), false],
    [{ kind: 'accepted' }, false],
    [{ kind: 'unanswered', reason: 'deadline' }, false],
  ])('maps %j to %s', (answer, expected) => {
    expect(isUnknownDevice(answer)).toBe(expected);
  });
});

describe(answerOfBoth.name, () => {
  const gone = refusal({ status: 410, reason: 'Unregistered', deadSince: 1 });
  const busy = refusal({ status: 429, reason: 'TooManyRequests' });
  const unrelated = refusal({ status: 403, reason: 'UnrelatedKeyIdInToken' });
  const trouble = refusal({ status: 503, reason: 'ServiceUnavailable' });
  const lost: ProviderAnswer = { kind: 'unanswered', reason: 'connection' };
  const accepted: ProviderAnswer = { kind: 'accepted', environment: 'sandbox' };
  const withdrawn: ProviderAnswer = { kind: 'withdrawn' };
  it.each<[string, ProviderAnswer, ProviderAnswer]>([
    ['accepted', accepted, accepted],
    ['withdrawn', withdrawn, withdrawn],
    ['dead', gone, gone],
    ['throttled', busy, busy],
    ['unavailable', trouble, trouble],
    ['asks for another connection', unrelated, unrelated],
    ['unanswered', lost, lost],
    ['unknown as well', bad, bad],
    ['rejects our key', refusal({ status: 403, reason: 'BadEnvironmentKeyIdInToken' }), bad],
    ['rejects our certificate', refusal({ status: 403, reason: 'BadCertificateEnvironment' }), bad],
    ['not configured', { kind: 'misconfigured', reason: 'no key' }, bad],
  ])('when the second environment answers: %s', (_what, second, expected) => {
    expect(answerOfBoth(bad, second)).toEqual(expected);
  });
});
