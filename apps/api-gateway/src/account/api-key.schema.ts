import { z } from 'zod';
import { endpoint, limitedText, text } from '#edge';

const apiKey = z.string().describe('32 letters and digits. Treat it like a password.');

export const regenerateApiKey = endpoint({
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  summary: 'Regenerate the API key',
  description:
    "Replaces the caller's API key. The old one is refused at once, and every mobile device that was registered with it is logged out.",
  tag: 'account',
  access: 'user',
  parameters: {},
  returns: z.object({ api_key: apiKey }),
  errors: [],
});

export const fetchApiKey = endpoint({
  method: 'POST',
  path: '/fetch_api_key',
  summary: 'Fetch the API key with a password',
  description: "Gives the account's API key for its email address and password.",
  tag: 'account',
  access: 'anyone',
  parameters: {
    username: text(limitedText(254), { description: "The account's email address." }),
    password: text(limitedText(1000), { description: "The account's password." }),
  },
  returns: z.object({ api_key: apiKey, email: z.string(), user_id: z.int() }),
  errors: [
    'wrongPassword',
    'userDeactivated',
    'signInRealmDeactivated',
    'apiKeyUnavailable',
    'unknownSubdomain',
  ],
});
