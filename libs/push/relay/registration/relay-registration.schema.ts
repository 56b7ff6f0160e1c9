import { z } from 'zod';
import { endpoint, limitedText, text } from '#platform/http';
import { relayErrors } from '../relay.errors.js';

const LONGEST_ACCESS_TOKEN = 256;

export const readVerificationSecret = endpoint({
  tag: 'push service',
  access: 'anyone',
  method: 'GET',
  // With a slash at its end, which routes of Nest cannot have.
  path: '/zulip-services/verify/{access_token...}',
  summary: 'Prove the host of this server to a push service',
  description:
    'Returns the secret that the push service has given for the transfer of the registration of this server, for ten seconds.',
  parameters: {
    access_token: text(limitedText(LONGEST_ACCESS_TOKEN), {
      description:
        'The token that this server has named to the push service, with a slash at its end.',
    }),
  },
  returns: z.object({ verification_secret: z.string() }),
  errors: [relayErrors.secretNotPrepared],
});
