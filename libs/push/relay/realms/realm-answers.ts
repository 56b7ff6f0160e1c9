import { Injectable } from '@nestjs/common';
import { batched } from '#platform/core';
import { RealmPushStatuses } from './realm-push-statuses.js';
import { RealmUploads } from './realm-uploads.js';
import { meaningOf, MISSING_REALM } from '../service-answer.rules.js';

/** Stores what the answers of the push service to notifications say about organisations. */
@Injectable()
export class RealmAnswers {
  /** Calls of the same moment share a transaction: each push of a request tells its refusal. */
  readonly #switchOff = batched(async (realmIds: readonly number[]) => {
    await this.statuses.switchOff([...new Set(realmIds)]);
    return realmIds.map(() => undefined);
  });
  readonly #requestUpload = batched(async (realmIds: readonly number[]) => {
    await this.uploads.requestUpload();
    return realmIds.map(() => undefined);
  });

  constructor(
    private readonly statuses: RealmPushStatuses,
    private readonly uploads: RealmUploads,
  ) {}

  /** Stores the status of an organisation, as the answer to an accepted push has it. Rejects when PostgreSQL is down. */
  async accepted(realmUuid: string, status: unknown): Promise<void> {
    await this.statuses.storeAnswer(realmUuid, status);
  }

  /** Stores what the code of a refusal says about an organisation. Rejects when PostgreSQL is down. */
  async refused(realmId: number, code: string | null): Promise<void> {
    if (meaningOf(code).isOfRealm !== true) return;
    await this.#switchOff(realmId);
    if (code === MISSING_REALM) await this.#requestUpload(realmId);
  }
}
