import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JobQueues } from '#platform/queue';
import type { PushJobs } from '#push/jobs';
import type { PushServiceClient, RelaySettings } from '../push-service-client.js';
import type { TokenChange, TokenChangeRepository } from './token-change.repository.js';
import { TokenChanges } from './token-changes.js';

const ANSWER_MS = 8000;

const relay: RelaySettings = { url: '', orgId: '', orgKey: '', externalUrl: '' };

const change = (id: number): TokenChange => ({
  id,
  kind: 'unregister',
  platform: 'fcm',
  token: `token ${id}`,
  appId: null,
  attempts: 0,
  isAwaited: false,
});

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe(TokenChanges.name, () => {
  it('leaves changes to the next run while the service is slow', async () => {
    const waiting = Array.from({ length: 100 }, (_, index) => change(index + 1));
    const changes = {
      lease: () => Promise.resolve({ userUuid: 'user', realmUuid: 'realm' }),
      first: () => Promise.resolve(waiting[0] ?? null),
      remove: () => Promise.resolve(waiting.shift()),
      release: () => Promise.resolve(),
    };
    const client = {
      postForm: () => {
        jest.advanceTimersByTime(ANSWER_MS);
        return Promise.resolve({ kind: 'ok', body: {} });
      },
    };
    // The run calls only these methods.
    const sut = new TokenChanges(
      changes as unknown as TokenChangeRepository,
      client as unknown as PushServiceClient,
      relay,
      {} as JobQueues<PushJobs>,
    );
    expect(await sut.send(1)).toBe('busy');
    expect(waiting).toHaveLength(98);
  });

  it('repeats changes after many failures, and sooner if one is a removal', async () => {
    const pauses: { readonly delayMs: number; readonly removalDelayMs: number }[] = [];
    const changes = {
      lease: () => Promise.resolve({ userUuid: 'user', realmUuid: 'realm' }),
      first: () => Promise.resolve({ ...change(1), kind: 'register', attempts: 100 }),
      postpone: (_userId: number, _ids: readonly number[], pause: (typeof pauses)[0]) => {
        pauses.push(pause);
        return Promise.resolve();
      },
      release: () => Promise.resolve(),
    };
    const client = { postForm: () => Promise.resolve({ kind: 'server_error', status: 500 }) };
    // The run calls only these methods.
    const sut = new TokenChanges(
      changes as unknown as TokenChangeRepository,
      client as unknown as PushServiceClient,
      relay,
      {} as JobQueues<PushJobs>,
    );
    await sut.send(1);
    expect(pauses).toHaveLength(1);
    const { delayMs = 0, removalDelayMs = 0 } = pauses[0] ?? {};
    expect(delayMs).toBeGreaterThanOrEqual(900_000);
    expect(delayMs).toBeLessThanOrEqual(1_350_000);
    expect(removalDelayMs).toBeGreaterThanOrEqual(60_000);
    expect(removalDelayMs).toBeLessThanOrEqual(90_000);
  });
});
