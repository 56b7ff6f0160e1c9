import { Injectable } from '@nestjs/common';
import { UserEvents } from '#directory/users';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Session, Transaction } from '#platform/database';
import { ProfileFieldRepository } from './profile-field.repository.js';
import {
  fieldTypesResponse,
  knownAccountsResponse,
  toRegisteredField,
} from './profile-fields.response.js';
import type { ValueChange } from './profile-value.repository.js';

/** The custom profile fields of `POST /register`, and the events of their changes. */
@Injectable()
@DeclaresEvents()
export class ProfileFieldEvents implements CapabilityEvents {
  readonly types = [{ type: 'custom_profile_fields' }];
  readonly fetchTypes = ['custom_profile_fields', 'realm'];

  constructor(
    private readonly fields: ProfileFieldRepository,
    private readonly users: UserEvents,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot, wants }: StateRequest) {
    return {
      ...(wants('realm') && { realm_default_external_accounts: knownAccountsResponse }),
      ...(wants('custom_profile_fields') && (await this.#readFields(caller.realm.id, snapshot))),
    };
  }

  async #readFields(realmId: number, snapshot: Session) {
    const fields = await this.fields.list(realmId, undefined, snapshot);
    return {
      custom_profile_fields: fields.map(toRegisteredField),
      custom_profile_field_types: fieldTypesResponse,
    };
  }

  /** Adds the event of a changed list, for all accounts. Clients remove the values of a deleted field. */
  async listChanged(transaction: Transaction, realmId: number): Promise<void> {
    const fields = await this.fields.list(realmId, undefined, transaction);
    const type = 'custom_profile_fields';
    const body = { fields: fields.map(toRegisteredField) };
    this.log.append(transaction, { realmId, type, body, audience: { everyone: 'all' } });
  }

  /** Adds an event for each changed value of an account. */
  async valuesChanged(
    transaction: Transaction,
    account: { readonly realmId: number; readonly userId: number },
    changes: readonly ValueChange[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const updates = changes.map(({ fieldId, value, rendered }) => ({
      custom_profile_field: {
        id: fieldId,
        value,
        ...(rendered !== null && { rendered_value: rendered }),
      },
    }));
    await this.users.updated(transaction, account, ...updates);
  }
}
