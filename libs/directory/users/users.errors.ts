import { badRequest, defineErrors } from '#platform/contracts';

/** Accounts. */
export const userErrors = defineErrors({
  noSuchUser: badRequest(
    'No such user',
    'The organisation has no such account, or the caller cannot see it.',
  ),
  userIsDeactivated: badRequest(
    'User is deactivated',
    'The account is deactivated, and the operation requires an active account.',
  ),
  userIsActive: badRequest('User already active', 'The account to reactivate is not deactivated.'),
  botOwnerIsDeactivated: badRequest(
    'The owner of the bot is deactivated',
    'The bot to reactivate would be back with a key that its deactivated owner knows. The owner is reactivated first.',
  ),
  notAllowedToCreateUsers: badRequest(
    'User not authorized to create users',
    'The caller is not in the group that may create users.',
  ),
  nameTooLong: badRequest('Name too long!', 'A full name has more than 100 characters.'),
  nameTooShort: badRequest('Name too short!', 'A full name has fewer than 2 characters.'),
  invalidNameCharacters: badRequest(
    'Invalid characters in name!',
    'A full name contains an asterisk, backquote, backslash, `>`, `"`, `@` or an invisible character.',
  ),
  invalidNameFormat: badRequest(
    'Invalid format!',
    'A full name ends with a vertical bar and a number, like some mentions.',
  ),
  nameReserved: badRequest(
    'This name is reserved.',
    'A full name is that of a bot of the server or of a wildcard mention, such as `Notification Bot` or `everyone`.',
  ),
  nameInUse: badRequest(
    'Unique names required in this organization.',
    'The organisation requires unique names, and another account has the name.',
  ),
  invalidEmailAddress: badRequest('Bad name or username', 'The text is not an email address.'),
  emailDomainNotAllowed: badRequest(
    "Email '{email}' not allowed in this organization",
    'The organisation allows only certain domains, and the address has another one.',
  ),
  disposableEmail: badRequest(
    'Disposable email addresses are not allowed in this organization',
    'The address belongs to a service for disposable addresses.',
  ),
  emailWithPlus: badRequest(
    'Email addresses containing + are not allowed.',
    'The organisation allows only certain domains, and addresses of these without a `+`.',
  ),
  emailInUse: badRequest(
    'Email is already in use.',
    'An account of the organisation, active or deactivated, has the address.',
  ),
  weakPassword: badRequest(
    'The password is too weak.',
    'The password has fewer than 6 characters, or could be guessed in fewer than 10 000 attempts.',
  ),
  onlyOwnerRole: badRequest(
    'The owner permission cannot be removed from the only organization owner.',
    'The account is the last active owner of the organisation that is not a bot.',
  ),
  onlyOwner: badRequest(
    'Cannot deactivate the only organization owner',
    'The account is the last active owner of the organisation that is not a bot.',
  ),
  onlyUser: {
    code: 'CANNOT_DEACTIVATE_LAST_USER',
    status: 400,
    msg: 'Cannot deactivate the only {entity}',
    when: 'The own account is the last owner or the last active account; `entity` and `is_last_owner` name the case.',
  },
});
