import type { Session } from '#platform/database';

/** A value of a custom profile field, as clients receive it. */
export interface ProfileValue {
  readonly value: string;
  /** The HTML of a Markdown text; missing for other types. */
  readonly rendered_value?: string;
}

/** The values of an account by the ids of the fields. */
export type ProfileData = Readonly<Record<string, ProfileValue>>;

/** Reads the values of custom profile fields. */
export interface ProfileDataReader {
  /** The result omits accounts without values. */
  profileDataOf(
    userIds: readonly number[],
    session?: Session,
  ): Promise<ReadonlyMap<number, ProfileData>>;
}

/** DI token of the ProfileDataReader. */
export const PROFILE_DATA_READER = Symbol('ProfileDataReader');
