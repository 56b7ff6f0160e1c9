import { Injectable } from '@nestjs/common';
import { EventLog } from '#events/log';
import { firstUnprintable } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { LONGEST_REALM_NAME } from './operator-settings.rules.js';
import { type RealmName, type NewRealm, RealmRepository } from './realm.repository.js';
import { isSubdomain } from './subdomain.rules.js';

/** The retention of messages that are kept for ever, in events, states and channels. */
export const UNLIMITED_DAYS = -1;

/** The longest retention of messages but for an unlimited one. */
export const MAX_RETENTION_DAYS = 36_500;

/** The reason why an organisation cannot be created. */
type RealmRefusal = 'subdomain taken' | 'invalid subdomain' | 'invalid name';

/** Organisations, for an operator. */
@Injectable()
export class RealmsService {
  constructor(
    private readonly realms: RealmRepository,
    private readonly log: EventLog,
  ) {}

  /**
   * Creates an organisation without accounts. Resolves with the organisation or with the reason of the refusal. A name has 1
   * to 40 characters, none of which `firstUnprintable` finds.
   */
  async create(subdomain: string, name: string): Promise<NewRealm | RealmRefusal> {
    if (!isSubdomain(subdomain)) return 'invalid subdomain';
    const trimmed = name.trim();
    const isTooLong = [...trimmed].length > LONGEST_REALM_NAME;
    if (isTooLong || firstUnprintable(trimmed) !== null) return 'invalid name';
    return (await this.realms.create(subdomain, trimmed)) ?? 'subdomain taken';
  }

  /**
   * Sets whether phones that get notifications in plain text get none, with its event. Resolves with the organisation; null
   * for an unknown one.
   */
  async setEncryptedPushRequired(
    transaction: Transaction,
    subdomain: string,
    isRequired: boolean,
  ): Promise<RealmName | null> {
    const realm = await this.realms.setEncryptedPushRequired(transaction, subdomain, isRequired);
    if (realm?.isChanged === true) {
      this.#changed(transaction, realm.id, 'require_e2ee_push_notifications', isRequired);
    }
    return realm;
  }

  /** Sets the days after which messages are deleted, with its event; null for unlimited. */
  async setMessageRetention(
    transaction: Transaction,
    realmId: number,
    days: number | null,
  ): Promise<void> {
    if (!(await this.realms.setMessageRetention(transaction, realmId, days))) return;
    this.#changed(transaction, realmId, 'message_retention_days', days ?? UNLIMITED_DAYS);
  }

  #changed(
    transaction: Transaction,
    realmId: number,
    property: string,
    value: boolean | number,
  ): void {
    const body = { op: 'update', property, value };
    this.log.append(transaction, { realmId, type: 'realm', body, audience: { everyone: 'all' } });
  }
}
