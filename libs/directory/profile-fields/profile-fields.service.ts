import { Inject, Injectable } from '@nestjs/common';
import { isAdministrator } from '#directory/roles';
import { UserAccess } from '#directory/users';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { renderMarkdown } from '#platform/markdown';
import { shapeOf } from './field-data.rules.js';
import { newProfileField, type ProfileFieldRequest } from './new-profile-field.rules.js';
import { fieldTypes, type NewProfileField, type ProfileField } from './profile-field.js';
import {
  type CreationRefusal,
  MAX_FIELD_BYTES,
  ProfileFieldRepository,
} from './profile-field.repository.js';
import { ProfileFieldEvents } from './profile-fields.events.js';
import {
  MAX_PROFILE_BYTES,
  ProfileValueRepository,
  type ValueChange,
} from './profile-value.repository.js';
import { type ProfileInput, isRendered, storedValue } from './profile-value.rules.js';
import { profileFieldErrors } from './profile-fields.errors.js';

/** The new value of one field of a profile. */
export interface FieldInput {
  readonly fieldId: number;
  readonly value: ProfileInput;
}

/** The custom profile fields of organisations and their values. */
@Injectable()
export class ProfileFieldsService {
  constructor(
    private readonly fields: ProfileFieldRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'profileFields'>,
    private readonly values: ProfileValueRepository,
    private readonly access: UserAccess,
    private readonly database: Database,
    private readonly events: ProfileFieldEvents,
  ) {}

  /** The fields of the caller's organisation in the order of display. */
  async list(caller: Caller): Promise<ProfileField[]> {
    return this.fields.list(caller.realm.id);
  }

  /**
   * Adds a field to the profiles of the caller's organisation and resolves with its id. Rejects with ApiError for an
   * invalid field and for a duplicate.
   */
  async create(caller: Caller, request: ProfileFieldRequest): Promise<number> {
    const fieldData = shapeOf(request.fieldData);
    // A full summary is reported before any other error.
    if (request.isInSummary && (await this.fields.isSummaryFull(caller.realm.id))) {
      throw new ApiError(profileFieldErrors.profileSummaryIsFull);
    }
    const limit = this.limits.profileFields;
    const field = newProfileField({ ...request, fieldData });
    const created = await this.#create(caller.realm.id, field, limit);
    if (created === 'list is full') {
      throw new ApiError(limitErrors.organizationLimitReached, {
        limit,
        what: 'custom profile fields',
      });
    }
    if (created === 'summary is full') throw new ApiError(profileFieldErrors.profileSummaryIsFull);
    if (created === 'name is taken') throw new ApiError(profileFieldErrors.profileFieldExists);
    return created;
  }

  #create(
    realmId: number,
    field: NewProfileField,
    limit: number,
  ): Promise<number | CreationRefusal> {
    return this.database.transaction(async (transaction) => {
      const created = await this.fields.create(transaction, realmId, field, limit);
      if (typeof created !== 'number') return created;
      if (!(await this.fields.haveBytes(transaction, realmId))) {
        const details = { limit: MAX_FIELD_BYTES, what: 'bytes of custom profile fields' };
        throw new ApiError(limitErrors.organizationLimitReached, details);
      }
      await this.events.listChanged(transaction, realmId);
      return created;
    });
  }

  /** Rejects with `invalidProfileFieldOrder` for a list without each field of the organisation exactly once. */
  async reorder({ realm }: Caller, order: readonly number[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.fields.lock(transaction, realm.id);
      const ids = (await this.fields.list(realm.id, undefined, transaction)).map(({ id }) => id);
      const given = new Set(order);
      if (order.length !== ids.length || ids.some((id) => !given.has(id))) {
        throw new ApiError(profileFieldErrors.invalidProfileFieldOrder);
      }
      await this.fields.reorder(transaction, realm.id, order);
      await this.events.listChanged(transaction, realm.id);
    });
  }

  /** Deletes a field of the caller's organisation with all its values. Rejects with `profileFieldNotFound`. */
  async remove(caller: Caller, fieldId: number): Promise<void> {
    const realmId = caller.realm.id;
    await this.database.transaction(async (transaction) => {
      if (!(await this.fields.delete(transaction, realmId, fieldId))) {
        throw new ApiError(profileFieldErrors.profileFieldNotFound, { id: fieldId });
      }
      await this.events.listChanged(transaction, realmId);
    });
  }

  /**
   * Changes values of the caller's profile: all of them or none. Rejects with ApiError for an unknown field, a field
   * that the caller cannot edit, and an invalid value. Of several values for one field the last one counts.
   */
  async changeData(caller: Caller, given: readonly FieldInput[]): Promise<void> {
    const changes = await this.prepare(caller, given);
    const { userId, isBot, realm } = caller;
    const account = { realmId: realm.id, userId, isBot };
    await this.database.transaction((transaction) => this.store(transaction, account, changes));
  }

  /**
   * The changes of values that the caller requests, to store later: reads outside of a transaction. Rejects as
   * `changeData` does.
   */
  async prepare(caller: Caller, given: readonly FieldInput[]): Promise<ValueChange[]> {
    const requested = new Map(given.map(({ fieldId, value }) => [fieldId, value]));
    if (requested.size === 0) return [];
    const fields = await this.#fieldsOf(caller, [...requested.keys()]);
    const selectable = await this.#selectableUsers(caller, fields, requested);
    return fields.map((field): ValueChange => {
      const value = storedValue(field, requested.get(field.id) ?? null, selectable);
      const rendered = value !== null && isRendered(field) ? renderMarkdown(value).html : null;
      return { fieldId: field.id, value, rendered };
    });
  }

  /** Stores prepared changes of an account with their events. */
  async store(
    transaction: Transaction,
    {
      isBot,
      ...account
    }: { readonly realmId: number; readonly userId: number; readonly isBot: boolean },
    changes: readonly ValueChange[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const changed = await this.values.change(transaction, account.userId, changes);
    if (!(await this.values.haveBytes(transaction, account.userId))) {
      const details = { limit: MAX_PROFILE_BYTES, what: 'bytes of profile data' };
      throw new ApiError(limitErrors.accountLimitReached, details);
    }
    // Accounts of bots are listed without a profile.
    if (!isBot) await this.events.valuesChanged(transaction, account, changed);
  }

  /** The fields in the order of the request. */
  async #fieldsOf(caller: Caller, fieldIds: readonly number[]): Promise<ProfileField[]> {
    const fields = new Map(
      (await this.fields.list(caller.realm.id, fieldIds)).map((field) => [field.id, field]),
    );
    return fieldIds.map((id) => {
      const field = fields.get(id);
      if (field === undefined) throw new ApiError(profileFieldErrors.profileFieldNotFound, { id });
      if (!field.isUserEditable && !isAdministrator(caller.role)) {
        throw new ApiError(profileFieldErrors.profileFieldNotEditable);
      }
      return field;
    });
  }

  /** The accounts in the requested values that the caller may see and a field may contain. */
  async #selectableUsers(
    caller: Caller,
    fields: readonly ProfileField[],
    requested: ReadonlyMap<number, ProfileInput>,
  ): Promise<ReadonlySet<number>> {
    const named = fields
      .filter(({ fieldType }) => fieldType === fieldTypes.users)
      .flatMap(({ id }) => {
        const value = requested.get(id) ?? [];
        return typeof value === 'string' ? [] : value;
      });
    if (named.length === 0) return new Set();
    const visible = await this.access.visibleIds(caller);
    const permitted = visible === null ? named : named.filter((id) => visible.has(id));
    return this.values.selectableUsers(caller.realm.id, permitted);
  }
}
