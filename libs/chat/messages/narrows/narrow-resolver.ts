import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import { isGuest } from '#directory/roles';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import { MessageAccess } from '../reading/message-access.js';
import type { StoredMessage } from '../reading/message.repository.js';
import type { Condition, Narrow, NarrowSource } from './narrow.js';
import {
  anything,
  fromSender,
  inChannel,
  inChannelsOf,
  inConversation,
  inState,
  inTopic,
  isNotMuted,
  matching,
  mentioning,
  not,
  nothing,
  withContent,
  withId,
  withPerson,
} from './narrow-conditions.js';
import { narrowErrors } from './narrow.errors.js';
import { type ChannelOfNarrow, NarrowRepository } from './narrow.repository.js';
import { PeopleFinder, type PeopleOfNarrow } from './people-of-narrow.js';
import type { NarrowReader } from './reader-parameters.js';
import type { Term, TermOf } from './term.js';
import { badNarrow } from './term.rules.js';

/** A narrow and the account that it is for. */
export interface NarrowQuery {
  readonly narrow: Narrow;
  readonly reader: NarrowReader;
}

type ChannelOf = (term: TermOf<'channel'>) => ChannelOfNarrow;

/** Looks up the channels, people and messages that a narrow names. */
@Injectable()
export class NarrowResolver {
  constructor(
    private readonly narrows: NarrowRepository,
    private readonly people: PeopleFinder,
    private readonly messageAccess: MessageAccess,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /**
   * The narrow for the caller, in at most eight statements for any number of terms. Throws `badNarrow` for the first
   * term that names an unknown channel or user.
   */
  async resolve(caller: Caller, given: readonly Term[]): Promise<NarrowQuery> {
    const groups = await this.membership.groupsOf(caller.userId);
    const reader = { userId: caller.userId, realmId: caller.realm.id, role: caller.role, groups };
    const terms = await this.#inConversation(caller, given);
    const [channelOf, people] = await Promise.all([
      this.#channels(reader, terms),
      this.people.find(caller, terms),
    ]);
    return { reader, narrow: narrowOf(reader, terms, channelOf, people) };
  }

  /** The terms with the place of the message of `with` instead of the places that they name. */
  async #inConversation(caller: Caller, terms: readonly Term[]): Promise<readonly Term[]> {
    const [anchor, second] = terms.filter(isWith);
    if (anchor === undefined) return terms;
    if (second !== undefined) {
      const desc = "Duplicate 'with' operators.";
      throw new ApiError(narrowErrors.badNarrowCombination, { desc }, { desc });
    }
    if (anchor.isNegated) throw badNarrow("Invalid 'with' operator");
    const others = terms.filter((term) => !isWith(term));
    const message = await this.messageAccess.find(caller, anchor.messageId);
    if (message !== null) return [...others.filter((term) => !isPlace(term)), ...placeOf(message)];
    if (!namesConversation(others)) throw badNarrow("Invalid 'with' operator");
    return others;
  }

  async #channels(reader: NarrowReader, terms: readonly Term[]): Promise<ChannelOf> {
    const named = terms.flatMap((term) => (term.operator === 'channel' ? [term.channel] : []));
    const given = [...new Set(named)].filter((one) => typeof one === 'string' || isRowId(one));
    const found = given.length === 0 ? new Map() : await this.narrows.channels(reader, given);
    return ({ channel }) => {
      const one: ChannelOfNarrow | undefined = found.get(channel);
      if (one?.isVisible !== true) throw badNarrow(`unknown channel ${channel}`);
      return one;
    };
  }
}

const isWith = (term: Term): term is TermOf<'with'> => term.operator === 'with';

/** Whether a term names the place of messages. */
export const isPlace = ({ operator }: Term): boolean =>
  operator === 'channel' || operator === 'topic' || operator === 'dm';

const namesConversation = (terms: readonly Term[]): boolean => {
  const wanted = new Set(terms.filter(({ isNegated }) => !isNegated).map((term) => term.operator));
  return wanted.has('dm') || (wanted.has('channel') && wanted.has('topic'));
};

function placeOf({ channelId, topic, people }: StoredMessage): Term[] {
  if (channelId !== null) {
    return [
      { operator: 'channel', channel: channelId, isNegated: false },
      { operator: 'topic', topic, isNegated: false },
    ];
  }
  const ids = (people ?? []).map(({ id }) => ({ id }));
  return [{ operator: 'dm', people: ids, given: '', isNegated: false }];
}

function narrowOf(
  reader: NarrowReader,
  terms: readonly Term[],
  channelOf: ChannelOf,
  people: PeopleOfNarrow,
): Narrow {
  const conditions = terms.map((term) => {
    const condition = conditionOf(term, channelOf, people);
    return term.isNegated && condition !== anything ? not(condition) : condition;
  });
  const wanted = terms.filter(({ isNegated }) => !isNegated);
  const has = (...operators: Term['operator'][]) =>
    wanted.some(({ operator }) => operators.includes(operator));
  return {
    source: sourceOf(reader, terms, channelOf),
    conditions: conditions.filter((condition) => condition !== anything),
    isOf: {
      channel: has('channel'),
      topic: has('topic'),
      person: has('dm', 'dm-including', 'sender'),
    },
    participants: wanted.flatMap((term) =>
      term.operator === 'dm-including' ? [people.idOf(term.person, term.given)] : [],
    ),
    searches: wanted.flatMap((term) => (term.operator === 'search' ? [term.text] : [])),
  };
}

function conditionOf(term: Term, channelOf: ChannelOf, people: PeopleOfNarrow): Condition {
  switch (term.operator) {
    case 'channel':
      return inChannel(channelOf(term).id);
    case 'channels':
      return inChannelsOf(term.kind);
    case 'topic':
      return inTopic(term.topic);
    case 'dm': {
      const conversation = people.conversationOf(term.people, term.given);
      return conversation === null ? nothing : inConversation(conversation);
    }
    case 'dm-including':
      return withPerson(people.idOf(term.person, term.given));
    case 'sender':
      return fromSender(people.idOf(term.person, term.given));
    case 'mentions':
      return mentioning(people.idOf(term.person, term.given));
    case 'is':
      return inState(term.state);
    case 'has':
      return withContent(term.content);
    case 'in':
      return term.isHome ? isNotMuted : anything;
    case 'id':
      return withId(term.messageId);
    case 'search':
      return matching(term.text);
    case 'near':
    case 'with':
      return anything;
  }
}

/** States that do not depend on the row of the reader. */
const STATES_OF_TOPICS: ReadonlySet<string> = new Set(['resolved', 'followed']);

function sourceOf(
  reader: NarrowReader,
  terms: readonly Term[],
  channelOf: ChannelOf,
): NarrowSource {
  const wanted = terms.filter(({ isNegated }) => !isNegated);
  const isAboutRows = terms.some(
    (term) => term.operator === 'is' && !STATES_OF_TOPICS.has(term.state),
  );
  if (!isAboutRows) {
    const channels = wanted.filter((term) => term.operator === 'channel');
    if (channels.some((term) => channelOf(term).isHistoryReadable)) return 'channel';
    const isPublic = wanted.some((term) => term.operator === 'channels' && term.kind === 'public');
    if (isPublic && !isGuest(reader.role)) return 'shared';
  }
  const isDirect = wanted.some(
    (term) => term.operator === 'dm-including' || (term.operator === 'is' && term.state === 'dm'),
  );
  const isBounded = wanted.some(({ operator }) => operator === 'dm' || operator === 'id');
  return isDirect && !isBounded ? 'direct' : 'received';
}
