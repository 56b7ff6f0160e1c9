import { Injectable } from '@nestjs/common';
import {
  Database,
  lockAndCheckBytes,
  lockAndCheckRoom,
  lockList,
  type Session,
  type Transaction,
} from '#platform/database';
import type { ForwardLinkifier, NewLinkifier } from './linkifier.rules.js';

/** A stored linkifier. */
export interface Linkifier extends NewLinkifier {
  readonly id: number;
}

/** The linkifiers of an organisation. */
export const MAX_LINKIFIERS = 200;

const LIST = `
  SELECT id, pattern, url_template AS "urlTemplate", example_input AS "exampleInput",
    reverse_template AS "reverseTemplate",
    coalesce(alternative_url_templates, '{}') AS "alternativeUrlTemplates"
  FROM linkifiers
  WHERE realm_id = $1 ORDER BY place, id LIMIT 1000`;

const FORWARD = `
  SELECT pattern, url_template AS "urlTemplate" FROM linkifiers
  WHERE realm_id = $1 ORDER BY place, id LIMIT 1000`;

const CREATE = `
  INSERT INTO linkifiers
    (realm_id, pattern, url_template, example_input, reverse_template, alternative_url_templates, place)
  SELECT $1, $2, $3, $4, $5, $6, coalesce(max(place) + 1, 0) FROM linkifiers WHERE realm_id = $1
  ON CONFLICT DO NOTHING
  RETURNING id`;

const IS_TAKEN = `SELECT FROM linkifiers WHERE realm_id = $1 AND pattern = $2 AND id <> $3`;

const UPDATE = `
  UPDATE linkifiers SET pattern = $3, url_template = $4, example_input = $5, reverse_template = $6,
    alternative_url_templates = $7
  WHERE realm_id = $1 AND id = $2 RETURNING id`;

const DELETE = `DELETE FROM linkifiers WHERE realm_id = $1 AND id = $2 RETURNING id`;

const REORDER = `
  UPDATE linkifiers SET place = given.place - 1
  FROM unnest($2::int[]) WITH ORDINALITY AS given (id, place)
  WHERE linkifiers.realm_id = $1 AND linkifiers.id = given.id`;

const valuesOf = (linkifier: NewLinkifier) => [
  linkifier.pattern,
  linkifier.urlTemplate,
  linkifier.exampleInput,
  linkifier.reverseTemplate,
  linkifier.alternativeUrlTemplates,
];

/** Their bytes as JSON: answers, registrations and events have all of them. */
export const MAX_LINKIFIER_BYTES = 800_000;

const linkifiersOfRealm = {
  table: 'linkifiers',
  owner: 'realm_id',
  texts: [
    'pattern',
    'url_template',
    'example_input',
    'reverse_template',
    'alternative_url_templates',
  ],
  maxBytes: MAX_LINKIFIER_BYTES,
} as const;

/**
 * The linkifiers of organisations. A change blocks other changes of the same organisation until the end of its transaction,
 * so that a list that is read after the change is the list at the commit.
 */
@Injectable()
export class LinkifierRepository {
  constructor(private readonly database: Database) {}

  /** The linkifiers of an organisation in their order. */
  async list(realmId: number, session: Session = this.database): Promise<Linkifier[]> {
    return session.query<Linkifier>('linkifiers', LIST, [realmId]);
  }

  /** What the linkifiers of an organisation need to make links, in their order. */
  async forward(realmId: number): Promise<ForwardLinkifier[]> {
    return this.database.query<ForwardLinkifier>('forward_linkifiers', FORWARD, [realmId]);
  }

  /** Blocks other changes of the list until the end of the transaction. */
  async lock(transaction: Transaction, realmId: number): Promise<void> {
    await lockList(transaction, linkifiersOfRealm, realmId);
  }

  /** Resolves with the id of the new linkifier, the last one, or with the reason for which it was refused. */
  async create(
    transaction: Transaction,
    realmId: number,
    linkifier: NewLinkifier,
  ): Promise<number | 'pattern is taken' | 'list is full'> {
    if (!(await lockAndCheckRoom(transaction, linkifiersOfRealm, realmId, MAX_LINKIFIERS)))
      return 'list is full';
    const values = [realmId, ...valuesOf(linkifier)];
    const [row] = await transaction.query<{ id: number }>('create_linkifier', CREATE, values);
    return row?.id ?? 'pattern is taken';
  }

  /** Whether another linkifier has a pattern. */
  async isTaken(
    transaction: Transaction,
    realmId: number,
    pattern: string,
    exceptId: number,
  ): Promise<boolean> {
    const values = [realmId, pattern, exceptId];
    return (await transaction.query('is_pattern_taken', IS_TAKEN, values)).length > 0;
  }

  /** False when no such linkifier exists. */
  async update(
    transaction: Transaction,
    realmId: number,
    id: number,
    linkifier: NewLinkifier,
  ): Promise<boolean> {
    const values = [realmId, id, ...valuesOf(linkifier)];
    return (await transaction.query('update_linkifier', UPDATE, values)).length > 0;
  }

  /** Whether the linkifiers are small enough together, after the changes of the transaction. */
  async haveBytes(transaction: Transaction, realmId: number): Promise<boolean> {
    return lockAndCheckBytes(transaction, linkifiersOfRealm, realmId);
  }

  /** False when no such linkifier exists. */
  async delete(transaction: Transaction, realmId: number, id: number): Promise<boolean> {
    return (await transaction.query('delete_linkifier', DELETE, [realmId, id])).length > 0;
  }

  /** Puts the linkifiers into the order of the ids. */
  async reorder(transaction: Transaction, realmId: number, ids: readonly number[]): Promise<void> {
    await transaction.query('reorder_linkifiers', REORDER, [realmId, ids]);
  }
}
