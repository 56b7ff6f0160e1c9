import type { WebPushKey } from '#push/providers';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

/** All public keys, the newest first. */
export const webPushKeysAnswer = (keys: readonly WebPushKey[]): Answer => ({
  json: {
    keys: keys.map(({ id, publicKey, createdAt }) => ({
      id,
      public_key: publicKey,
      created_at: timeJson(createdAt),
    })),
  },
  text:
    keys.length === 0
      ? 'There is no key: browsers cannot subscribe. `carillon web-push-keys add` makes one.'
      : tableOf(
          ['public key', 'made (UTC)'],
          keys.map(({ publicKey, createdAt }) => [publicKey, timeText(createdAt)]),
        ),
});

/** A new public key. */
export const addedWebPushKeyAnswer = (publicKey: string): Answer => ({
  json: { public_key: publicKey },
  text: `New subscriptions are made with ${publicKey}`,
});
