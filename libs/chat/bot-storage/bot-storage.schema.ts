import { z } from 'zod';
import { limitErrors } from '#platform/contracts';
import { endpoint, json, limitedText } from '#platform/http';
import { botStorageErrors } from './bot-storage.errors.js';

const LONGEST_KEY = 255;
const LONGEST_VALUE = 1_000_000;
const MAX_SENT = 1000;

const common = { tag: 'bot storage', access: 'user', path: '/bot_storage' } as const;
const nothing = z.object({});
const key = limitedText(LONGEST_KEY);
const keys = (description: string) => json(z.array(key).max(MAX_SENT).optional(), { description });

export const readBotStorage = endpoint({
  ...common,
  method: 'GET',
  summary: 'Read the own storage',
  description: 'Returns the texts that the caller, a bot, has stored.',
  parameters: { keys: keys('The keys of the texts to return; all by default.') },
  largestAnswerBytes: 10_100_000,
  takesAnswerSlot: true,
  returns: z.object({ storage: z.record(z.string(), z.string()).describe('The texts by key.') }),
  errors: [
    botStorageErrors.botsOnly,
    botStorageErrors.keyDoesNotExist,
    botStorageErrors.storageTooLarge,
  ],
});

export const updateBotStorage = endpoint({
  ...common,
  method: 'PUT',
  summary: 'Store texts',
  description: 'Stores texts for the caller, a bot. Other texts of the caller stay.',
  parameters: {
    storage: json(
      z
        .record(key, limitedText(LONGEST_VALUE))
        .refine((entries) => Object.keys(entries).length <= MAX_SENT)
        .meta({ maxProperties: MAX_SENT }),
      {
        description:
          'At most 1000 texts by their keys. All keys and texts of an account have at most 10000000 bytes of JSON.',
      },
    ),
  },
  returns: nothing,
  errors: [
    botStorageErrors.botsOnly,
    botStorageErrors.storageFull,
    limitErrors.accountLimitReached,
  ],
});

export const deleteBotStorage = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Delete stored texts',
  description: 'Deletes texts of the caller, all or none.',
  parameters: { keys: keys('The keys of the texts to delete; all by default.') },
  returns: nothing,
  errors: [botStorageErrors.botsOnly, botStorageErrors.keyDoesNotExist],
});
