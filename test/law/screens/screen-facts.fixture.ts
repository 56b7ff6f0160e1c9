import type { System } from '#test/start-system';
import type { AccountFacts, UnreadFacts } from './screen-rule.fixture.js';

/** An account with the messages that it has not read. */
export interface Reading {
  readonly account: AccountFacts;
  readonly unread: readonly UnreadFacts[];
}

const topics = { 1: 'muted', 2: 'unmuted', 3: 'followed' } as const;
type TopicPolicy = keyof typeof topics;

/** Reads the facts of an organisation that decide about the screens of its phones. */
export async function readFacts(
  { database: { database } }: System,
  realmId: number,
): Promise<Map<number, Reading>> {
  const { prisma } = database;
  const [users, messages, subscriptions, policies] = await Promise.all([
    prisma.user.findMany({ where: { realmId } }),
    prisma.message.findMany({ where: { realmId } }),
    prisma.subscription.findMany({ where: { channel: { realmId } } }),
    prisma.userTopic.findMany({ where: { channel: { realmId } } }),
  ]);
  const messageOf = new Map(messages.map((message) => [message.id, message]));
  const received = await prisma.userMessage.findMany({
    where: { messageId: { in: [...messageOf.keys()] }, isRead: false, isHistorical: false },
  });
  const subscriptionOf = new Map(
    subscriptions.map((one) => [`${one.userId} ${one.channelId}`, one]),
  );
  const policyOf = new Map(
    policies.map((one) => [`${one.userId} ${one.channelId} ${one.topicKey}`, one.visibility]),
  );
  const unreadOf = (userId: number): UnreadFacts[] =>
    received
      .filter((one) => one.userId === userId)
      .flatMap(({ messageId, isMentioned, isWildcardMentioned }) => {
        const message = messageOf.get(messageId);
        if (message === undefined) return [];
        const { id, senderId, channelId, topic, isSilent } = message;
        const subscription = subscriptionOf.get(`${userId} ${channelId}`);
        const policy = policyOf.get(`${userId} ${channelId} ${topic.toLowerCase()}`) ?? 0;
        const channel = {
          isSubscribed: subscription?.isActive ?? false,
          isMuted: subscription?.isMuted ?? false,
          wantsAll: subscription?.pushNotifications ?? null,
          wantsWildcards: subscription?.wildcardMentions ?? null,
          topic: policy in topics ? topics[policy as TopicPolicy] : ('inherited' as const),
        };
        return {
          messageId: Number(id),
          senderId,
          isSilent,
          channel: channelId === null ? null : channel,
          isMentioned,
          isWildcardMentioned,
        };
      });
  return new Map(
    users.map((user) => [user.id, { account: accountFacts(user), unread: unreadOf(user.id) }]),
  );
}

type UserRow = Awaited<
  ReturnType<System['database']['database']['prisma']['user']['findFirstOrThrow']>
>;

function accountFacts(user: UserRow): AccountFacts {
  // Settings without a column are stored if they differ from their default, which is on.
  const stored = user.displaySettings as Readonly<Record<string, unknown>>;
  const isOn = (name: string): boolean => stored[name] !== false;
  return {
    id: user.id,
    isActivePerson: user.isActive && !user.isBot,
    wantsDirect: user.isPushEnabled,
    wantsChannels: user.isPushedChannels,
    wantsWildcards: user.isPushedWildcards,
    wantsFollowed: isOn('enable_followed_topic_push_notifications'),
    wantsFollowedWildcards: isOn('enable_followed_topic_wildcard_mentions_notify'),
  };
}
