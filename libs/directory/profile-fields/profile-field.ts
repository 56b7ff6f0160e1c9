/** The types of profile fields by their numbers in the API. */
export const fieldTypes = {
  shortText: 1,
  paragraph: 2,
  dropdown: 3,
  date: 4,
  link: 5,
  users: 6,
  externalAccount: 7,
  pronouns: 8,
} as const;

/** One choice of a dropdown; `order` holds digits. */
export interface Choice {
  readonly text: string;
  readonly order: string;
}

/** The choices of a dropdown by their keys, or the site of an external account. */
export type FieldData = Readonly<Record<string, Choice>> | ExternalAccount;

/** Only the subtype `custom` has a `url_pattern`, which contains `%(username)s` once. */
export type ExternalAccount = Readonly<{ subtype: string; url_pattern?: string }>;

/** A custom profile field of an organisation. */
export interface ProfileField {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly fieldType: number;
  /** Null for types without a configuration. */
  readonly fieldData: FieldData | null;
  /** Fields are shown in ascending order. */
  readonly position: number;
  readonly isInSummary: boolean;
  readonly isRequired: boolean;
  readonly isUserEditable: boolean;
  readonly isForMatching: boolean;
}

/** A field to create; its id becomes its position. */
export type NewProfileField = Omit<ProfileField, 'id' | 'position'>;

/** A known site, with the label of a field for accounts on it. */
interface AccountSite {
  readonly name: string;
  readonly hint: string;
  readonly siteName: string;
  /** Has `%(username)s` for the name of the account. */
  readonly urlPattern: string;
}

/** The subtype for any other site; the field has the URL pattern of the site. */
export const CUSTOM_ACCOUNT = 'custom';

/** The known sites by subtype. */
export const knownAccounts: ReadonlyMap<string, AccountSite> = new Map([
  ['twitter', knownAccount('Twitter', 'https://twitter.com/%(username)s')],
  ['github', knownAccount('GitHub', 'https://github.com/%(username)s')],
]);

function knownAccount(siteName: string, urlPattern: string): AccountSite {
  return { name: `${siteName} username`, hint: '', siteName, urlPattern };
}
