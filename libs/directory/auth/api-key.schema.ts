import { z } from 'zod';
import { endpoint, identifier, limitedText, text } from '#platform/http';
import { roleErrors } from '#directory/roles';
import { signInErrors } from '#platform/contracts';
import { apiKeyErrors } from './api-key.errors.js';

const apiKey = z.string().describe('32 letters and digits. Treat it like a password.');

export const regenerateApiKey = endpoint({
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  summary: 'Regenerate the API key',
  description:
    "Replaces the caller's API key. The old key becomes invalid at once, and all mobile devices registered with it are logged out.",
  tag: 'account',
  access: 'user',
  parameters: {},
  returns: z.object({ api_key: apiKey }),
  errors: [],
});

export const getBotApiKey = endpoint({
  method: 'GET',
  path: '/bots/{bot_id}/api_key',
  summary: 'Get the API key of a bot',
  description:
    'Returns the API key of an active bot, for its owner and for administrators; of a bot with the role of an owner, for its owner and for owners.',
  tag: 'account',
  access: 'user',
  parameters: { bot_id: identifier('The id of the bot.') },
  returns: z.object({ api_key: apiKey }),
  errors: [apiKeyErrors.noSuchBot, roleErrors.insufficientPermission],
});

export const fetchApiKey = endpoint({
  method: 'POST',
  path: '/fetch_api_key',
  summary: 'Fetch the API key with a password',
  description: 'Returns the API key of an account for its email address and password.',
  tag: 'account',
  access: 'anyone',
  parameters: {
    username: text(limitedText(254), { description: "The account's email address." }),
    password: text(limitedText(1000), { description: "The account's password." }),
  },
  returns: z.object({ api_key: apiKey, email: z.string(), user_id: z.int() }),
  errors: [
    signInErrors.wrongPassword,
    signInErrors.userDeactivated,
    signInErrors.signInRealmDeactivated,
    signInErrors.apiKeyUnavailable,
    signInErrors.unknownSubdomain,
  ],
});
