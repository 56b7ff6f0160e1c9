import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Accounts. */
export const userErrors = {
  noSuchUser: badRequest('No such user'),
  userIsDeactivated: badRequest('User is deactivated'),
  userIsActive: badRequest('User already active'),
  notAllowedToCreateUsers: badRequest('User not authorized to create users'),
  nameTooLong: badRequest('Name too long!'),
  nameTooShort: badRequest('Name too short!'),
  invalidNameCharacters: badRequest('Invalid characters in name!'),
  invalidNameFormat: badRequest('Invalid format!'),
  nameInUse: badRequest('Unique names required in this organization.'),
  invalidEmailAddress: badRequest('Bad name or username'),
  emailDomainNotAllowed: badRequest("Email '{email}' not allowed in this organization"),
  disposableEmail: badRequest('Disposable email addresses are not allowed in this organization'),
  emailWithPlus: badRequest('Email addresses containing + are not allowed.'),
  emailInUse: badRequest('Email is already in use.'),
  weakPassword: badRequest('The password is too weak.'),
  onlyOwner: badRequest('Cannot deactivate the only organization owner'),
  onlyUser: {
    code: 'CANNOT_DEACTIVATE_LAST_USER',
    status: 400,
    msg: 'Cannot deactivate the only {entity}',
  },
} as const satisfies Record<string, CataloguedError>;
