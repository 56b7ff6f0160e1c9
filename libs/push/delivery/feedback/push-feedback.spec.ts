import { describe, expect, it } from '@jest/globals';
import type { FeedbackRepository } from './feedback.repository.js';
import { type FeedbackSettings, PushFeedback } from './push-feedback.js';

const webhook = (successPercent: number): FeedbackSettings => ({
  isLogged: false,
  webhook: { url: 'https://a', secrets: ['s'], successPercent, hasUserIds: false, everyMs: 5000 },
});

describe(PushFeedback.name, () => {
  it.each<[string, FeedbackSettings, { delivered: boolean; expired: boolean }]>([
    ['nothing without a receiver', { isLogged: false, webhook: null }, none()],
    ['failures in the log', { isLogged: true, webhook: null }, { ...none(), expired: true }],
    ['failures to the webhook', webhook(0), { ...none(), expired: true }],
    ['all of which it gets a share', webhook(0.1), { delivered: true, expired: true }],
  ])('may report %s', (_what, settings, expected) => {
    const sut = new PushFeedback({} as FeedbackRepository, settings);
    expect({ delivered: sut.mayReport('delivered'), expired: sut.mayReport('expired') }).toEqual(
      expected,
    );
  });
});

function none() {
  return { delivered: false, expired: false };
}
