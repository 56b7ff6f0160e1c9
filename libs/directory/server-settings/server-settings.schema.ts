import { z } from 'zod';
import { signInErrors } from '#platform/contracts';
import { endpoint } from '#platform/http';
import { authenticationMethods } from './authentication-methods.js';

const authenticationMethod = z.object({
  name: z.string(),
  display_name: z.string(),
  display_icon: z.string().nullable(),
  login_url: z.string(),
  signup_url: z.string(),
});

/** Absent on a root host without an organisation. */
const ofOrganisation = {
  realm_uri: z.string().optional().describe('The same as `realm_url`.'),
  realm_url: z
    .string()
    .optional()
    .describe(
      'The address of the organisation, without a trailing slash. It and the other members that begin with `realm_` are missing if the server has no root organisation and the request names the root host.',
    ),
  realm_name: z.string().optional(),
  realm_icon: z.string().optional().describe('The URL of a generated picture.'),
  realm_description: z
    .string()
    .optional()
    .describe('The description of the organisation as HTML that is safe to show; may be empty.'),
  realm_web_public_access_enabled: z.boolean().optional(),
};

export const getServerSettings = endpoint({
  method: 'GET',
  path: '/server_settings',
  summary: 'Get the settings of the server',
  description:
    'Returns the version of the server, how to sign in, and the organisation of the host. Clients ask for it before the sign-in; an `Authorization` header is ignored.',
  tag: 'server',
  access: 'anyone',
  parameters: {},
  returns: z.object({
    zulip_version: z.string().describe('The release whose API the server has.'),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int().describe('The level of the API.'),
    push_notifications_enabled: z
      .boolean()
      .describe('Whether Apple or Google is configured, so that notifications can reach phones.'),
    is_incompatible: z
      .boolean()
      .describe('True for a client that no longer works, by the name in its `User-Agent`.'),
    email_auth_enabled: z.boolean(),
    require_email_format_usernames: z.boolean(),
    authentication_methods: z
      .record(z.enum(authenticationMethods), z.boolean())
      .describe('Whether each method of signing in can be used.'),
    external_authentication_methods: z.array(authenticationMethod),
    ...ofOrganisation,
  }),
  errors: [signInErrors.unknownSubdomain],
});
