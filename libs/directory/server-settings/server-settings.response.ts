import { type RealmProfile } from '#directory/realms';
import { reportedVersion } from '#platform/contracts';
import { methodAvailability } from './authentication-methods.js';
import type { ServerSettings } from './server-settings.service.js';
import { isIncompatible } from './user-agent.rules.js';

/** The settings of the server in the format of the API, for a client with this `User-Agent`. */
export const toServerSettingsResponse = (
  { realm, isPushConfigured }: ServerSettings,
  userAgent: string,
) => ({
  ...reportedVersion,
  push_notifications_enabled: isPushConfigured,
  is_incompatible: isIncompatible(userAgent),
  email_auth_enabled: true,
  require_email_format_usernames: true,
  authentication_methods: methodAvailability(),
  external_authentication_methods: [],
  ...(realm !== null && organisationOf(realm)),
});

const organisationOf = ({ name, url, iconUrl, descriptionHtml }: RealmProfile) => ({
  realm_uri: url,
  realm_url: url,
  realm_name: name,
  realm_icon: iconUrl,
  realm_description: descriptionHtml,
  realm_web_public_access_enabled: false,
});
