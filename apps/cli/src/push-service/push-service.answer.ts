import type { ServiceSignIn } from '#push/relay';
import type { Answer } from '../command-context.js';

/** The id and the key that the gateways and workers need. */
export const signInAnswer = (what: string, { orgId, orgKey }: ServiceSignIn): Answer => ({
  json: { org_id: orgId, org_key: orgKey },
  text: [
    `${what} Set these variables for the gateways and push workers, and restart them:`,
    `PUSH_SERVICE_ORG_ID=${orgId}`,
    `PUSH_SERVICE_ORG_KEY=${orgKey}`,
  ].join('\n'),
});

/** A server that keeps its id and key. */
export const changedAnswer = (orgId: string): Answer => ({
  json: { org_id: orgId },
  text: `The push service has the host and the contact address of ${orgId}.`,
});
