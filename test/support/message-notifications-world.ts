import { createHash } from 'node:crypto';
import type { Prisma } from '#platform/database';
import type { Organisation, Person } from './organisation.js';
import { deliveriesTo } from './push-ledger.js';
import { DEMO_APP_ID, androidToken, iphoneToken } from './push-tokens.js';
import type { System } from './start-system.js';
import { Correspondence } from './messages-organisation.js';

type PersonTraits = Parameters<Organisation['addPerson']>[0];

/** The notification settings of a person. */
type Wishes = Pick<
  Prisma.UserUncheckedUpdateInput,
  'isPushEnabled' | 'isPushedOnline' | 'isPushedChannels' | 'isPushedWildcards'
>;

/** A notification in the ledger, with its delivery to each phone. */
interface Notified {
  readonly kind: string;
  readonly content: unknown;
  readonly deliveries: readonly {
    readonly platform: string;
    readonly mayWait: boolean;
    readonly state: string;
    readonly fingerprint: string | null;
  }[];
}

const ADD_CROWD = `
  WITH crowd AS (
    INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
    SELECT $1, 'crowd' || n || '@' || $2, 'crowd' || n || '@' || $2, 'Crowd ' || n, 400,
      sha256(convert_to('crowd' || n || $2, 'UTF8')), ''
    FROM generate_series(1, $3::int) AS n
    RETURNING id
  ),
  phones AS (
    INSERT INTO push_devices (user_id, platform, token, token_digest, key_generation)
    SELECT id, 'fcm', 'token' || id, sha256(convert_to('token' || id, 'UTF8')), 1 FROM crowd
  )
  SELECT id FROM crowd ORDER BY id`;

const SUBSCRIBE_CROWD = `
  INSERT INTO subscriptions (channel_id, user_id, push_notifications)
  SELECT $1, id, $3::boolean FROM unnest($2::int[]) AS id`;

/** People with phones who write to each other, and their notifications in the ledger. */
export class NotifiedPeople {
  private constructor(
    private readonly system: System,
    readonly mail: Correspondence,
  ) {}

  static async in(system: System): Promise<NotifiedPeople> {
    return new NotifiedPeople(system, await Correspondence.in(system));
  }

  get prisma() {
    return this.system.database.database.prisma;
  }

  /** Adds a person who was not active recently, with an Android phone. */
  async add(wishes: Wishes = {}, traits: PersonTraits = {}): Promise<Person> {
    const person = await this.mail.organisation.addPerson(traits);
    await this.prisma.user.update({ where: { id: person.id }, data: wishes });
    await this.addPhone(person);
    return person;
  }

  /** Adds so many accounts with an Android phone each, and resolves with their ids in ascending order; once for an organisation. */
  async addCrowd(count: number): Promise<number[]> {
    const { id, host } = this.mail.organisation;
    const { database } = this.system.database;
    const rows = await database.query<{ id: number }>('add_crowd', ADD_CROWD, [id, host, count]);
    return rows.map((row) => row.id);
  }

  /** Subscribes accounts that want notifications of all messages of the channel, or of mentions only. */
  async subscribeCrowd(
    { id }: { readonly id: number },
    userIds: readonly number[],
    { wantsAll = true } = {},
  ): Promise<void> {
    const values = [id, userIds, wantsAll ? true : null];
    await this.system.database.database.query('subscribe_crowd', SUBSCRIBE_CROWD, values);
  }

  async addPhone(
    { id: userId }: Person,
    { platform = 'fcm', keyGeneration = 1 } = {},
  ): Promise<string> {
    const token = platform === 'fcm' ? androidToken() : iphoneToken();
    const tokenDigest = new Uint8Array(createHash('sha256').update(token).digest());
    const appId = platform === 'fcm' ? null : DEMO_APP_ID;
    await this.prisma.pushDevice.create({
      data: { userId, platform, token, tokenDigest, appId, keyGeneration },
    });
    return token;
  }

  async wasActive(person: Person, secondsAgo: number | null): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const activeAt = secondsAgo === null ? null : now - secondsAgo;
    await this.mail.organisation.lastSeen(person, now, activeAt);
  }

  /** The notifications of a person, in the order of their deliveries to the first phone. */
  async of({ id: userId }: Person): Promise<Notified[]> {
    const own = await this.prisma.pushNotification.findMany({ where: { userId } });
    const pages = await this.prisma.pushPage.findMany({
      where: { userIds: { has: userId }, notificationId: null },
    });
    const notifications = [
      ...own,
      ...pages.map(({ id, content }) => ({ id, kind: 'message', content })),
    ];
    const all = await deliveriesTo(this.prisma, userId);
    const byDevice = all.toSorted((one, other) => one.deviceId - other.deviceId);
    return notifications
      .map(({ id, kind, content }) => {
        const deliveries = byDevice.filter(({ notificationId }) => notificationId === id);
        return { kind, content, deliveries, first: Number(deliveries[0]?.sequence) };
      })
      .toSorted((one, other) => one.first - other.first)
      .map(({ kind, content, deliveries }) => ({
        kind,
        content,
        deliveries: deliveries.map(({ platform, mayWait, state, fingerprint }) => ({
          platform,
          mayWait,
          state,
          fingerprint,
        })),
      }));
  }

  /** The trigger of a person's notification of a message; null without a notification. */
  async triggerOf(person: Person, messageId: unknown): Promise<string | null> {
    const contents = (await this.of(person)).map(
      ({ content }) => content as { readonly messageId?: number; readonly trigger?: string },
    );
    const found = contents.find((content) => content.messageId === messageId);
    return found?.trigger ?? null;
  }

  /** The messages that a person's phones show, according to the rows of the messages. */
  async onScreenOf({ id: userId }: Person): Promise<number[]> {
    const rows = await this.prisma.userMessage.findMany({
      where: { userId, isPushed: true },
      orderBy: { messageId: 'asc' },
    });
    return rows.map(({ messageId }) => Number(messageId));
  }
}
