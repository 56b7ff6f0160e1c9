import { z } from 'zod';
import { endpoint, limitedText, text } from '#platform/http';
import { signInErrors } from '#platform/contracts';

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
