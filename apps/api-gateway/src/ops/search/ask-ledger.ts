import { Injectable, NotFoundException } from '@nestjs/common';
import { FindNotifications, type NotificationHistory, type NotificationQuery } from '#push';
import { RealmRepository } from '#realms';
import { UserRepository } from '#users';
import type { SearchQuestion } from './search.request.js';

/** An operator is told every address. */
const OPERATOR = { userId: 0, isAdministrator: true } as const;

/** Asks the ledger what happened to notifications, also by the address of an account. */
@Injectable()
export class AskLedger {
  constructor(
    private readonly findNotifications: FindNotifications,
    private readonly realms: RealmRepository,
    private readonly users: UserRepository,
  ) {}

  /** Rejects with NotFoundException when there is no such organisation or account. */
  async execute(question: SearchQuestion): Promise<NotificationHistory[]> {
    return this.findNotifications.execute(await this.#queryOf(question), question.limit);
  }

  async #queryOf(question: SearchQuestion): Promise<NotificationQuery> {
    if ('notification' in question) return { notificationId: question.notification };
    if ('user' in question) return { userId: question.user };
    if ('device' in question) return { deviceId: question.device };
    if ('fingerprint' in question) return { fingerprint: question.fingerprint };
    return { userId: await this.#accountOf(question) };
  }

  async #accountOf({ email, realm: subdomain }: { email: string; realm: string }): Promise<number> {
    const realm = await this.realms.findBySubdomain(subdomain);
    if (realm === null) {
      throw new NotFoundException(`There is no organisation with the subdomain "${subdomain}".`);
    }
    const userId = await this.users.findIdByEmail(realm.id, email, OPERATOR);
    if (userId === null) throw new NotFoundException(`${realm.name} has no account "${email}".`);
    return userId;
  }
}
