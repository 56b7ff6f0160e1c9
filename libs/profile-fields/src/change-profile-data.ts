import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isAdministrator } from '#contracts';
import { renderMarkdown } from '#markdown';
import { AccessUser } from '#users';
import { NamedPeopleRepository } from './named-people.repository.js';
import { fieldTypes, type ProfileField } from './profile-field.js';
import { ProfileFieldRepository } from './profile-field.repository.js';
import { type GivenValue, isRendered, storedValue } from './profile-value.rules.js';
import { ProfileValueRepository, type ValueChange } from './profile-value.repository.js';

/** What the caller wants to stand in one field of their profile. */
export interface GivenFieldValue {
  readonly fieldId: number;
  readonly value: GivenValue;
}

/** Changes what the caller has filled in: all that is asked for, or nothing. */
@Injectable()
export class ChangeProfileData {
  constructor(
    private readonly fields: ProfileFieldRepository,
    private readonly values: ProfileValueRepository,
    private readonly people: NamedPeopleRepository,
    private readonly access: AccessUser,
  ) {}

  /**
   * Rejects with ApiError for a field that there is none of or that the caller may not edit, and for a
   * value that it cannot have. Of several values for one field the last counts.
   */
  async execute(caller: Caller, given: readonly GivenFieldValue[]): Promise<void> {
    const wanted = new Map(given.map(({ fieldId, value }) => [fieldId, value]));
    if (wanted.size === 0) return;
    const fields = await this.#fieldsOf(caller, [...wanted.keys()]);
    const people = await this.#peopleAmong(caller, fields, wanted);
    const changes = fields.map((field): ValueChange => {
      const value = storedValue(field, wanted.get(field.id) ?? null, people);
      const rendered = value !== null && isRendered(field) ? renderMarkdown(value) : null;
      return { fieldId: field.id, value, rendered };
    });
    await this.values.change(caller.userId, changes);
  }

  /** The fields in the order in which they were asked for. */
  async #fieldsOf(caller: Caller, fieldIds: readonly number[]): Promise<ProfileField[]> {
    const fields = new Map(
      (await this.fields.list(caller.realm.id, fieldIds)).map((field) => [field.id, field]),
    );
    return fieldIds.map((id) => {
      const field = fields.get(id);
      if (field === undefined) throw new ApiError('profileFieldNotFound', { id });
      if (!field.isUserEditable && !isAdministrator(caller.role)) {
        throw new ApiError('profileFieldNotEditable');
      }
      return field;
    });
  }

  /** Of the accounts that are named, those that may be: nobody whom the caller may not know of. */
  async #peopleAmong(
    caller: Caller,
    fields: readonly ProfileField[],
    wanted: ReadonlyMap<number, GivenValue>,
  ): Promise<ReadonlySet<number>> {
    const named = fields
      .filter(({ fieldType }) => fieldType === fieldTypes.users)
      .flatMap(({ id }) => {
        const value = wanted.get(id) ?? [];
        return typeof value === 'string' ? [] : value;
      });
    if (named.length === 0) return new Set();
    const visible = await this.access.visibleTo(caller);
    const known = visible === null ? named : named.filter((id) => visible.has(id));
    return this.people.among(caller.realm.id, known);
  }
}
