import { Inject, Injectable, Optional } from '@nestjs/common';
import { ApiError, type Caller, longestLists } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  CHANNEL_NOTICES,
  type ChannelNotices,
  type SendChannelNotices,
} from '../channel-notices.js';
import type { StoredChannel } from '../channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import { defaultColor } from './channel-color.rules.js';
import { ChannelCreator, type ChannelPlan } from './channel-creator.js';
import { checkedChannelName, oneLine } from './channel-name.rules.js';
import { NamedAccountsFinder } from './named-accounts-finder.js';
import type { AccountByReference, AccountReferences } from './named-channel.repository.js';
import type { NewChannel } from './new-channel.repository.js';
import { SubscribableChannels } from './subscribable-channels.js';
import type { NewSubscribers } from '../subscriptions/subscriber.repository.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import { SubscriptionStore } from './subscription-store.js';

/** The most subscriptions that one request may begin or end. */
export const MAX_SUBSCRIPTIONS = 20_000;

/** If a request subscribes more accounts, they get no message about it. */
const MAX_NOTICES = longestLists.subscriptionNotices;

/** A channel that a request subscribes to. */
interface NewChannelInput {
  readonly name: string;
  /** As `#rrggbb` in lower case; null for the usual one. */
  readonly color: string | null;
  /** Of a channel that is created. */
  readonly description: string;
}

/** A request to subscribe accounts to channels. */
export interface SubscribeInput {
  readonly channels: readonly NewChannelInput[];
  /** Null for the caller. */
  readonly accounts: AccountReferences | null;
  /** Whether a channel that the caller cannot subscribe to is an error. */
  readonly isStrict: boolean;
  /** For channels that do not exist. */
  readonly plan: ChannelPlan;
}

/** The names of channels by account, and the channels that the caller cannot subscribe to. */
export interface SubscribeResult {
  readonly subscribed: ReadonlyMap<number, readonly string[]>;
  readonly alreadySubscribed: ReadonlyMap<number, readonly string[]>;
  readonly unauthorized: readonly string[];
  /** False if too many others were subscribed to tell them. */
  readonly areOthersTold: boolean;
}

interface Outcome {
  readonly channels: readonly StoredChannel[];
  readonly created: readonly StoredChannel[];
  readonly accounts: readonly AccountByReference[];
  readonly subscribers: readonly NewSubscribers[];
  readonly unauthorized: readonly string[];
}

/** Subscribes accounts to channels. */
@Injectable()
export class SubscribingService {
  constructor(
    private readonly subscribable: SubscribableChannels,
    private readonly accounts: NamedAccountsFinder,
    private readonly creator: ChannelCreator,
    private readonly subscriptions: SubscriptionStore,
    private readonly database: Database,
    @Optional() @Inject(CHANNEL_NOTICES) private readonly notices: ChannelNotices | null = null,
  ) {}

  /**
   * Subscribes the accounts to the channels and creates channels that do not exist, in one transaction and a bounded number
   * of statements. Rejects with ApiError for an invalid name, an unknown account, a channel that the caller cannot subscribe
   * to (only if strict), other accounts that the caller cannot subscribe, and a plan that the caller cannot carry out.
   */
  async subscribe(caller: Caller, input: SubscribeInput): Promise<SubscribeResult> {
    const wanted = input.channels.map((channel) => ({
      ...channel,
      name: checkedChannelName(channel.name),
      description: oneLine(channel.description),
    }));
    this.creator.check(caller, input.plan);
    const accounts = await this.accounts.find(caller, input.accounts);
    if (wanted.length * accounts.length > MAX_SUBSCRIPTIONS) {
      throw new ApiError(channelErrors.tooManySubscriptions, { limit: MAX_SUBSCRIPTIONS });
    }
    const request = { ...input, channels: wanted };
    const outcome = await this.#transact(caller, input.plan, (transaction) =>
      this.#subscribe(transaction, caller, request, accounts),
    );
    return { ...resultOf(outcome), areOthersTold: othersIn(caller, outcome).length <= MAX_NOTICES };
  }

  /**
   * Creates a channel with these subscribers and resolves with its id. Rejects with `nameTaken`, and with ApiError for an
   * invalid name, an unknown account, and a plan that the caller cannot carry out.
   */
  async create(
    caller: Caller,
    { name: given, description }: NewChannel,
    named: AccountReferences,
    plan: ChannelPlan,
  ): Promise<number> {
    const name = checkedChannelName(given);
    this.creator.check(caller, plan);
    const accounts = await this.accounts.find(caller, named);
    const outcome = await this.#transact(caller, plan, async (transaction) => {
      const realmId = caller.realm.id;
      await lockSubscriptions(transaction, realmId);
      if (await this.subscribable.isTaken(transaction, realmId, name)) {
        throw new ApiError(channelErrors.channelNameTaken, { name });
      }
      const channel = { name, description: oneLine(description) };
      const channels = await this.creator.create(transaction, caller, [channel], plan);
      const colors = channels.map(({ id }) => ({ id, color: defaultColor(id) }));
      const newIds = new Set(channels.map(({ id }) => id));
      const change = { realmId, channels, accounts };
      const subscribers = await this.subscriptions.begin(transaction, change, colors, newIds);
      await this.creator.publishDefaults(transaction, caller, channels);
      return { channels, created: channels, accounts, subscribers, unauthorized: [] };
    });
    const [created] = outcome.created;
    if (created === undefined) throw new Error(`Channel ${name} was not created`);
    return created.id;
  }

  async #subscribe(
    transaction: Transaction,
    caller: Caller,
    { channels: wanted, isStrict, plan }: SubscribeInput,
    accounts: readonly AccountByReference[],
  ): Promise<Outcome> {
    const realmId = caller.realm.id;
    await lockSubscriptions(transaction, realmId);
    const isForOthers = accounts.some(({ id }) => id !== caller.userId);
    const names = wanted.map(({ name }) => name);
    const found = await this.subscribable.find(transaction, caller, {
      names,
      isForOthers,
      isStrict,
    });
    const planned = found.missing.flatMap((place) => wanted[place] ?? []);
    const created = await this.creator.create(transaction, caller, planned, plan);
    const channels = [...found.channels.map(({ channel }) => channel), ...created];
    const colored = [
      ...found.channels.map(({ channel, place }) => withColor(channel, wanted[place])),
      ...created.map((channel, index) => withColor(channel, planned[index])),
    ];
    const change = { realmId, channels, accounts };
    const newIds = new Set(created.map(({ id }) => id));
    const subscribers = await this.subscriptions.begin(transaction, change, colored, newIds);
    await this.creator.publishDefaults(transaction, caller, created);
    return { channels, created, accounts, subscribers, unauthorized: found.unauthorized };
  }

  /** Runs a change with its notices, and then sends the notices. */
  async #transact(
    caller: Caller,
    plan: ChannelPlan,
    work: (transaction: Transaction) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { outcome, notices } = await this.database.transaction(async (transaction) => {
      const done = await work(transaction);
      return {
        outcome: done,
        notices: await this.#addNotices(transaction, caller, done, plan),
      };
    });
    for (const send of notices) await send();
    return outcome;
  }

  async #addNotices(
    transaction: Transaction,
    caller: Caller,
    outcome: Outcome,
    { isAnnounced, tellsSubscribers }: ChannelPlan,
  ): Promise<SendChannelNotices[]> {
    if (this.notices === null) return [];
    const { channels, created, subscribers } = outcome;
    const notices: SendChannelNotices[] = [];
    if (created.length > 0) notices.push(await this.notices.created(transaction, caller, created));
    const announced = isAnnounced ? created.filter(({ isPrivate }) => !isPrivate) : [];
    if (announced.length > 0) {
      notices.push(await this.notices.announced(transaction, caller, announced));
    }
    const others = tellsSubscribers ? othersIn(caller, outcome) : [];
    if (others.length === 0 || others.length > MAX_NOTICES) return notices;
    const changedIds = new Set(subscribers.map(({ channelId }) => channelId));
    const changed = channels.filter(({ id }) => changedIds.has(id));
    notices.push(await this.notices.subscribed(transaction, caller, others, changed));
    return notices;
  }
}

/** The accounts that the caller has subscribed to a channel, besides the own one. */
const othersIn = ({ userId }: Caller, { subscribers }: Outcome): number[] =>
  [...new Set(subscribers.flatMap(({ userIds }) => userIds))].filter((id) => id !== userId);

/** A channel with the requested color of its subscriptions, or the default. */
const withColor = ({ id }: StoredChannel, requested: NewChannelInput | undefined) => ({
  id,
  color: requested?.color ?? defaultColor(id),
});

function resultOf({
  channels,
  accounts,
  subscribers,
  unauthorized,
}: Outcome): Omit<SubscribeResult, 'areOthersTold'> {
  const subscribed = new Map<number, string[]>();
  const alreadySubscribed = new Map<number, string[]>();
  for (const { id, name } of channels) {
    const joined = new Set(
      subscribers.flatMap(({ channelId, userIds }) => (channelId === id ? userIds : [])),
    );
    for (const account of accounts) {
      const names = joined.has(account.id) ? subscribed : alreadySubscribed;
      names.set(account.id, [...(names.get(account.id) ?? []), name]);
    }
  }
  return { subscribed, alreadySubscribed, unauthorized };
}
