import { describe, expect, it } from '@jest/globals';
import { ScriptedAnswersStore } from './scripted-answers.store.js';

describe(ScriptedAnswersStore.name, () => {
  it('returns an answer a given number of times', () => {
    const sut = new ScriptedAnswersStore();
    sut.set('aa', { platform: 'apns', status: 500, times: 2 });
    const taken = [1, 2, 3].map(() => sut.take('apns', 'AA')?.status);
    expect(taken).toEqual([500, 500, undefined]);
  });

  it('returns an answer until it is changed or removed', () => {
    const sut = new ScriptedAnswersStore();
    sut.set('aa', { platform: 'fcm', reason: 'INTERNAL' });
    expect(sut.take('fcm', 'aa')?.reason).toBe('INTERNAL');
    sut.set('aa', { platform: 'fcm', reason: 'UNAVAILABLE' });
    expect(sut.take('fcm', 'aa')?.reason).toBe('UNAVAILABLE');
    sut.forget('aa');
    expect(sut.take('fcm', 'aa')).toBeUndefined();
  });

  it('separates the providers', () => {
    const sut = new ScriptedAnswersStore();
    sut.set('aa', { platform: 'apns', status: 410 });
    expect(sut.take('fcm', 'aa')).toBeUndefined();
  });
});
