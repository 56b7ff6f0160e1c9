/** The types of profile fields, as they are numbered on the wire. */
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

/** One choice of a dropdown; its place among the others is a number in digits. */
export interface Choice {
  readonly text: string;
  readonly order: string;
}

/** The choices of a dropdown by their keys, or which kind of account elsewhere a field is for. */
export type FieldData = Readonly<Record<string, Choice>> | ExternalAccount;

/** `url_pattern` is only there for the subtype `custom`, and holds `%(username)s` once. */
export type ExternalAccount = Readonly<{ subtype: string; url_pattern?: string }>;

/** A field of an organisation's own that its accounts can fill in. */
export interface ProfileField {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly fieldType: number;
  /** Null for the types that have none. */
  readonly fieldData: FieldData | null;
  /** Fields are shown in its ascending order. */
  readonly position: number;
  readonly isInSummary: boolean;
  readonly isRequired: boolean;
  readonly isUserEditable: boolean;
  readonly isForMatching: boolean;
}

/** A field that is to be made; its id gives its position. */
export type NewProfileField = Omit<ProfileField, 'id' | 'position'>;
