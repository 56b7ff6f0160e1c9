import type { PushKey } from '#push/tokens';
import type { Answer, CommonOptions } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

/** The options of a command that removes a key. */
export interface RemovalOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** All public keys. */
export const pushKeysAnswer = (keys: readonly PushKey[]): Answer => ({
  json: {
    keys: keys.map(({ publicKey, createdAt }) => ({
      public_key: publicKey,
      created_at: timeJson(createdAt),
    })),
  },
  text:
    keys.length === 0
      ? 'There is no key: apps cannot register for encrypted notifications. `carillon push-keys add` makes one.'
      : tableOf(
          ['public key', 'made (UTC)'],
          keys.map(({ publicKey, createdAt }) => [publicKey, timeText(createdAt)]),
        ),
});

/** A new public key. */
export const addedKeyAnswer = (publicKey: string): Answer => ({
  json: { public_key: publicKey },
  text: `The public key for the app: ${publicKey}`,
});

/** A key that was removed. */
export const removedKeyAnswer = (publicKey: string): Answer => ({
  json: { removed: publicKey },
  text: `Removed ${publicKey}.`,
});
