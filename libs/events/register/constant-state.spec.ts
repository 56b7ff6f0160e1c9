import { describe, expect, it } from '@jest/globals';
import type { QueueOptions, StateRequest } from '#events/declarations';
import { ConstantState } from './constant-state.js';

const read = (list: readonly string[] | null) =>
  new ConstantState().readState({
    options: { eventTypes: list } as QueueOptions,
    wants: (type) => list?.includes(type) ?? true,
    // It reads nothing else.
  } as StateRequest);

describe(ConstantState.name, () => {
  it('has all members for a client that asks for everything', async () => {
    expect(await read(null)).toEqual({
      giphy_api_key: '',
      navigation_views: [],
      onboarding_steps: [],
      realm_default_stream_groups: [],
      realm_domains: [],
      realm_embedded_bots: [],
      realm_filters: [],
      realm_incoming_webhook_bots: [],
      reminders: [],
      stop_words: [],
    });
  });

  it('has only the members of the wanted types', async () => {
    expect(await read(['reminders', 'giphy', 'message'])).toEqual({
      giphy_api_key: '',
      reminders: [],
    });
    expect(await read([])).toEqual({});
  });
});
