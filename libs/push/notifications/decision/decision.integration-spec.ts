import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '#platform/database';
import { connectOnce } from '#test/statement-plans';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import {
  decide,
  type Hold,
  type MessageFacts,
  type QuietSettings,
  remindsAfter,
} from './decision.rules.js';
import {
  ACTIVITY_JOINS,
  AWAY_FROM,
  holdSql,
  IS_AWAY,
  IS_NOTIFIABLE,
  QUIET_SETTINGS,
  remindsAfterSql,
  triggerSql,
  wishesJoins,
} from './decision.sql.js';

const CASES = 400;
const SEED = 20_261_129;

const maybe = (often: number) => fc.nat(9).map((drawn) => drawn < often);
const inherited = fc.option(fc.boolean());
/** Seconds before now, at the limits of the rules too. */
const ago = fc.option(fc.oneof(fc.constantFrom(0, 3, 8, 199, 203, 100_000), fc.nat(400)));

/** Most accounts set nothing to keep their phones quiet. */
const seldom = <Nothing, Value>(nothing: Nothing, value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary: value });

/** The facts of an account and a message, with times in seconds before now. */
const someFacts: fc.Arbitrary<MessageFacts> = fc.record({
  isSender: maybe(1),
  isRecipient: fc.constant(true),
  isPerson: maybe(9),
  isActive: maybe(9),
  isRead: maybe(1),
  isSilent: maybe(1),
  isInChannel: maybe(8),
  isMentioned: maybe(3),
  isMentionedViaGroup: maybe(3),
  isWildcardMentioned: maybe(3),
  wishes: fc.record({
    isPushEnabled: maybe(8),
    isPushedChannels: fc.boolean(),
    isPushedWildcards: fc.boolean(),
    isPushedFollowedTopics: fc.boolean(),
    isPushedFollowedWildcards: fc.boolean(),
    isPushedOnline: maybe(2),
  }),
  subscription: fc.option(
    fc.record({
      isMuted: maybe(4),
      pushNotifications: inherited,
      wildcardMentions: inherited,
    }),
    { freq: 9 },
  ),
  topicVisibility: fc.constantFrom(null, 1, 2, 3),
  activity: fc.record({ activeAt: ago, leftAt: ago, hasQueue: fc.boolean() }),
  quiet: fc.record({
    snoozedUntil: seldom(0, fc.integer({ min: -300, max: 300 })),
    quietUntil: seldom(null, fc.integer({ min: 10, max: 300 })),
    exceptions: fc.subarray(['direct', 'mention', 'group_mention', 'vip']),
    isFromVip: maybe(2),
    delaySeconds: seldom(0, fc.integer({ min: 1, max: 300 })),
  }),
  reminderSeconds: fc.constantFrom(0, 300),
  sentAt: fc.integer({ min: 0, max: 200 }),
});

const TRIGGER = triggerSql('(received.has_alert_word)');

const DECIDE = `
  SELECT account.id, ${IS_NOTIFIABLE} AS "isNotifiable",
    ${TRIGGER} AS trigger, ${holdSql(`(${TRIGGER})`)} AS hold, ${QUIET_SETTINGS} AS quiet,
    ${remindsAfterSql(`(${TRIGGER})`)} AS "remindsAfter",
    extract(epoch FROM sent.sent_at)::float8 AS "sentAt", ${IS_AWAY} AS "isAway",
    extract(epoch FROM ${AWAY_FROM})::float8 AS "awayFrom", extract(epoch FROM now())::float8 AS now,
    presence.active_at AS "activeAt", extract(epoch FROM deferral.left_at)::float8 AS "leftAt"
  FROM users account
  JOIN user_messages received ON received.user_id = account.id
  JOIN messages sent ON sent.id = received.message_id
  ${wishesJoins()}
  ${ACTIVITY_JOINS}
  WHERE account.id = ANY($1::int[])
  ORDER BY account.id`;

interface DecidedRow {
  readonly id: number;
  readonly isNotifiable: boolean;
  readonly trigger: string | null;
  readonly isAway: boolean;
  readonly awayFrom: number | null;
  readonly now: number;
  readonly activeAt: number | null;
  readonly leftAt: number | null;
  readonly hold: Hold | null;
  readonly quiet: QuietSettings;
  readonly remindsAfter: number | null;
  readonly sentAt: number;
}

let stores: TestDatabase;
let database: Database;

beforeAll(async () => {
  stores = await createTestDatabase('demo');
  database = connectOnce(stores.url);
});
afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

/** Stores the rows that mean these facts; resolves with the id of the account. */
async function store(facts: MessageFacts, index: number): Promise<number> {
  const { prisma } = database;
  const { wishes, subscription, activity, quiet } = facts;
  const { id: realmId } = await prisma.realm.findFirstOrThrow();
  const { id: otherId } = await prisma.user.findFirstOrThrow({ where: { isBot: true } });
  const now = Math.floor(Date.now() / 1000);
  const { id } = await prisma.user.create({
    data: {
      realmId,
      email: `facts${index}`,
      deliveryEmail: `facts${index}`,
      fullName: 'Facts',
      role: 400,
      apiKeyHash: new Uint8Array([index >> 8, index & 255]),
      apiKeySealed: new Uint8Array(),
      isBot: !facts.isPerson,
      isActive: facts.isActive,
      isPushEnabled: wishes.isPushEnabled,
      isPushedChannels: wishes.isPushedChannels,
      isPushedWildcards: wishes.isPushedWildcards,
      isPushedOnline: wishes.isPushedOnline,
      pushSnoozedUntil: quiet.snoozedUntil === 0 ? 0 : now + quiet.snoozedUntil,
      pushDelaySeconds: quiet.delaySeconds,
      pushReminderSeconds: facts.reminderSeconds,
      displaySettings: {
        push_quiet_hours_exceptions: [...quiet.exceptions],
        push_vip_user_ids: quiet.isFromVip ? [facts.isSender ? index : otherId] : [otherId + 1],
        enable_followed_topic_push_notifications: wishes.isPushedFollowedTopics,
        enable_followed_topic_wildcard_mentions_notify: wishes.isPushedFollowedWildcards,
      },
    },
  });
  const place = facts.isInChannel
    ? { channelId: (await prisma.channel.create({ data: { realmId, name: `facts ${index}` } })).id }
    : {
        conversationId: (
          await prisma.directConversation.create({ data: { realmId, key: `facts ${index}` } })
        ).id,
      };
  if (place.channelId !== undefined && (subscription !== null || index % 2 === 0)) {
    await prisma.subscription.create({
      data: {
        channelId: place.channelId,
        userId: id,
        isActive: subscription !== null,
        ...subscription,
      },
    });
  }
  if (place.channelId !== undefined && facts.topicVisibility !== null) {
    await prisma.userTopic.create({
      data: {
        userId: id,
        channelId: place.channelId,
        topicKey: 'lunch',
        topic: 'Lunch',
        visibility: facts.topicVisibility,
      },
    });
  }
  if (quiet.quietUntil !== null) {
    const SET = `UPDATE users SET push_quiet_times = tstzmultirange(
      tstzrange(now() - interval '1 h', to_timestamp($2)), tstzrange(to_timestamp($2 + 999), NULL)
    ) WHERE id = $1`;
    await database.query('set_quiet_times', SET, [id, now + quiet.quietUntil]);
  }
  const { id: messageId } = await prisma.message.create({
    data: {
      realmId,
      senderId: facts.isSender ? id : otherId,
      ...place,
      topic: place.channelId === undefined ? '' : 'LUNCH',
      content: '',
      isSilent: facts.isSilent,
      sentAt: new Date((now - facts.sentAt) * 1000),
    },
  });
  await prisma.userMessage.create({
    data: {
      userId: id,
      messageId,
      isRead: facts.isRead,
      isMentioned: facts.isMentioned,
      isWildcardMentioned: facts.isWildcardMentioned,
      // Stands for the parameter of the statements that says so.
      hasAlertWord: facts.isMentionedViaGroup,
    },
  });
  if (activity.activeAt !== null || index % 3 === 0) {
    const activeAt = activity.activeAt === null ? null : now - activity.activeAt;
    await prisma.userPresence.create({
      data: { userId: id, realmId, activeAt, idleAt: now, updateId: 1 },
    });
  }
  if (activity.leftAt !== null) {
    const leftAt = new Date((now - activity.leftAt) * 1000);
    await prisma.pushDeferral.create({ data: { userId: id, dueAt: leftAt, leftAt } });
  }
  const options = { eventTypes: activity.hasQueue ? null : ['presence'] };
  const expiresAt = new Date(Date.now() + 600_000);
  const queue = { realmId, userId: id, startPosition: 0, idleSeconds: 60 };
  await prisma.eventQueue.create({ data: { ...queue, id: `facts ${index}`, options, expiresAt } });
  return id;
}

describe(decide, () => {
  it('says for each account what the statements say for many', async () => {
    const cases = fc.sample(someFacts, { numRuns: CASES, seed: SEED });
    const ids: number[] = [];
    for (const [index, facts] of cases.entries()) ids.push(await store(facts, index));
    const rows = await database.query<DecidedRow>('decide', DECIDE, [ids]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const kinds = new Set<string>();
    for (const [index, facts] of cases.entries()) {
      const row = byId.get(ids[index] ?? 0);
      if (row === undefined) throw new Error('An account is missing');
      const activity = { ...facts.activity, activeAt: row.activeAt, leftAt: row.leftAt };
      // The sender of a message to an account is never the account itself where the decision goes on.
      const stored = { ...facts, activity, quiet: row.quiet, sentAt: row.sentAt };
      expect(row.quiet).toMatchObject({ exceptions: facts.quiet.exceptions });
      const decision = decide(stored, row.now);
      kinds.add(
        decision.kind === 'hide' ? decision.obstacle : `${decision.kind} ${decision.trigger}`,
      );
      expect({ facts, decision: decisionOf(row) }).toEqual({
        facts,
        decision: comparable(decision),
      });
      if (decision.kind === 'hide') continue;
      expect({ facts, after: row.remindsAfter }).toEqual({
        facts,
        after: remindsAfter(facts, decision.trigger),
      });
    }
    // Every decision was compared.
    expect([...kinds].toSorted()).toEqual([
      'deactivated',
      ...['channel', 'direct', 'group_mention', 'mention', 'wildcard_mention'].map(
        (trigger) => `hold ${trigger}`,
      ),
      'not_a_person',
      'not_wanted',
      'own_message',
      'read',
      'show channel',
      'show direct',
      'show group_mention',
      'show mention',
      'show wildcard_mention',
      'silent',
      'wait channel',
      'wait direct',
      'wait group_mention',
      'wait mention',
      'wait wildcard_mention',
    ]);
  });

  it('looks for the event queues of no account whose last one has not ended', async () => {
    const activity = { activeAt: 3, leftAt: null, hasQueue: true };
    const [facts] = fc.sample(someFacts, { numRuns: 1, seed: SEED });
    const id = await store({ ...(facts as MessageFacts), activity }, CASES);
    const rows = await database.query<{ 'QUERY PLAN': string }>(
      'explain',
      `EXPLAIN (ANALYZE) ${DECIDE.replace('$1::int[]', `'{${id}}'::int[]`)}`,
    );
    const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => /event_queues /.test(line));
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter((line) => !line.includes('never executed'))).toEqual([]);
  });
});

/** A decision without its obstacle, which the statements do not tell. */
function comparable(decision: ReturnType<typeof decide>) {
  return decision.kind === 'hide' ? { kind: 'hide' } : decision;
}

function decisionOf({ isNotifiable, trigger, hold, isAway, awayFrom }: DecidedRow) {
  if (!isNotifiable || trigger === null) return { kind: 'hide' };
  if (hold !== null) return { kind: 'hold', trigger, ...hold };
  return isAway ? { kind: 'show', trigger } : { kind: 'wait', trigger, until: awayFrom };
}
