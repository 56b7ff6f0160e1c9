import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, limitErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  type Linkifier,
  LinkifierRepository,
  MAX_LINKIFIER_BYTES,
  MAX_LINKIFIERS,
} from './linkifier.repository.js';
import { checkLinkifier, type NewLinkifier } from './linkifier.rules.js';
import { linkifierErrors } from './linkifiers.errors.js';
import { LinkifierEvents } from './linkifiers.events.js';

/** A linkifier to store; missing members have none, or stay. */
export type LinkifierChange = Pick<NewLinkifier, 'pattern' | 'urlTemplate'> & {
  readonly [Name in keyof NewLinkifier]?: NewLinkifier[Name] | undefined;
};

const NONE = { exampleInput: null, reverseTemplate: null, alternativeUrlTemplates: [] } as const;

/** The linkifiers of an organisation: patterns whose matches in messages become links. */
@Injectable()
export class LinkifiersService {
  constructor(
    private readonly linkifiers: LinkifierRepository,
    private readonly events: LinkifierEvents,
    private readonly database: Database,
  ) {}

  /** The linkifiers of the caller's organisation in their order. */
  async list({ realm }: Caller): Promise<Linkifier[]> {
    return this.linkifiers.list(realm.id);
  }

  /** Resolves with the id of the new linkifier. Rejects with ApiError for an invalid or an existing one. */
  async create({ realm }: Caller, given: LinkifierChange): Promise<number> {
    const linkifier = merged(NONE, given);
    checkLinkifier(linkifier);
    return this.database.transaction(async (transaction) => {
      const created = await this.linkifiers.create(transaction, realm.id, linkifier);
      if (created === 'pattern is taken') throw new ApiError(linkifierErrors.linkifierExists);
      if (created === 'list is full') {
        const details = { limit: MAX_LINKIFIERS, what: 'linkifiers' };
        throw new ApiError(limitErrors.organizationLimitReached, details);
      }
      await this.#requireBytes(transaction, realm.id);
      await this.events.changed(transaction, realm.id);
      return created;
    });
  }

  /** Replaces a linkifier. Rejects with `linkifierNotFound`, and like `create`. */
  async change({ realm }: Caller, id: number, given: LinkifierChange): Promise<void> {
    checkLinkifier(merged(NONE, { pattern: given.pattern, urlTemplate: given.urlTemplate }));
    await this.database.transaction(async (transaction) => {
      await this.linkifiers.lock(transaction, realm.id);
      if (await this.linkifiers.isTaken(transaction, realm.id, given.pattern, id)) {
        throw new ApiError(linkifierErrors.linkifierExists);
      }
      const listed = await this.linkifiers.list(realm.id, transaction);
      const linkifier = merged(listed.find((one) => one.id === id) ?? NONE, given);
      checkLinkifier(linkifier);
      if (!(await this.linkifiers.update(transaction, realm.id, id, linkifier))) {
        throw new ApiError(linkifierErrors.linkifierNotFound);
      }
      await this.#requireBytes(transaction, realm.id);
      await this.events.changed(transaction, realm.id);
    });
  }

  async #requireBytes(transaction: Transaction, realmId: number): Promise<void> {
    if (await this.linkifiers.haveBytes(transaction, realmId)) return;
    const details = { limit: MAX_LINKIFIER_BYTES, what: 'bytes of linkifiers' };
    throw new ApiError(limitErrors.organizationLimitReached, details);
  }

  /** Rejects with `linkifierNotFound`. */
  async remove({ realm }: Caller, id: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.linkifiers.lock(transaction, realm.id);
      if (!(await this.linkifiers.delete(transaction, realm.id, id))) {
        throw new ApiError(linkifierErrors.linkifierNotFound);
      }
      await this.events.changed(transaction, realm.id);
    });
  }

  /** Rejects with `invalidLinkifierOrder` for a list without each linkifier exactly once. */
  async reorder({ realm }: Caller, order: readonly number[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.linkifiers.lock(transaction, realm.id);
      const ids = (await this.linkifiers.list(realm.id, transaction)).map(({ id }) => id);
      const given = new Set(order);
      if (order.length !== ids.length || ids.some((id) => !given.has(id))) {
        throw new ApiError(linkifierErrors.invalidLinkifierOrder);
      }
      await this.linkifiers.reorder(transaction, realm.id, order);
      await this.events.changed(transaction, realm.id);
    });
  }
}

const merged = (
  current: Pick<NewLinkifier, keyof typeof NONE>,
  given: LinkifierChange,
): NewLinkifier => ({
  pattern: given.pattern,
  urlTemplate: given.urlTemplate,
  exampleInput: given.exampleInput === undefined ? current.exampleInput : given.exampleInput,
  reverseTemplate:
    given.reverseTemplate === undefined ? current.reverseTemplate : given.reverseTemplate,
  alternativeUrlTemplates: given.alternativeUrlTemplates ?? current.alternativeUrlTemplates,
});
