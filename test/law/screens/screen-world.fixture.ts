import { eventually } from '#test/eventually';
import { Correspondence } from '#test/messages-organisation';
import type { Organisation } from '#test/organisation';
import { Phone } from '#test/phone';
import type { Reply } from '#test/http-request';
import { roles } from '#directory/roles';
import type { SandboxBrowser } from '#test/sandbox-client';
import type { SeededRandom } from '#test/seeded-random';
import type { System } from '#test/start-system';
import { pendingIn } from '#test/push-ledger';
import { Member } from './screen-member.fixture.js';
import { LawPhone } from './screen-phone.fixture.js';

/**
 * The registration of a phone for encrypted notifications is confirmed by an event. A lost job of it is added again after five
 * seconds, and one that is lost again a minute later.
 */
const REGISTERED_MS = 180_000;

/** An account that ends its last queue is away after some seconds: a reminder to it waits so long. */
const SOON_MS = 10_000;

export const WEB_PUSH_PATH = '/users/me/web_push_subscription';

/** A message that a command has sent, in the place where it was sent. */
export interface Sent {
  readonly id: number;
  readonly sender: Member;
  /** Null for a direct message. */
  readonly channelId: number | null;
  readonly topic: string;
}

interface Place {
  readonly id: number;
  readonly name: string;
}

/** The organisation of one history: people with phones, channels and a group. */
export class ScreenWorld {
  readonly members: Member[] = [];
  phones: LawPhone[] = [];
  readonly channels: Place[] = [];
  readonly sent: Sent[] = [];
  /** Messages that an account has marked as unread: `{account} {message}`. */
  readonly markedUnread = new Set<string>();
  /** The accounts whose phones were quiet for a time. */
  readonly quieted = new Set<number>();
  readonly groupName = 'crew';
  /** Whether browsers have got a message after everything had come to rest: it names what they close. */
  hasLastMessage = false;

  private constructor(
    readonly system: System,
    private readonly mail: Correspondence,
    /** Moves and deletes messages; has no phone. */
    readonly admin: Member,
    /** All requests and faults, for the report of a failure. */
    readonly log: string[],
    private readonly vapidKey: string,
  ) {}

  /** People with the phones of `addPhones` each, in three channels, one of them private. */
  static async make(system: System, people = 3): Promise<ScreenWorld> {
    const mail = await Correspondence.in(system);
    const log: string[] = [];
    const addMember = async (fullName: string, role: number = roles.member): Promise<Member> => {
      const person = await mail.organisation.addPerson({ fullName, role });
      return new Member(person, fullName, { gatewayUrl: system.gatewayUrl, log });
    };
    const admin = await addMember('Admin', roles.administrator);
    const { body } = await admin.api.post('/register', { fetch_event_types: ['realm'] });
    const vapidKey = String(body['server_web_push_public_key']);
    const world = new ScreenWorld(system, mail, admin, log, vapidKey);
    for (let one = 1; one <= people; one += 1) {
      world.members.push(await addMember(`Reader ${one}`));
    }
    const [first, second] = world.members;
    const everyone = [admin, ...world.members].map(({ person }) => person);
    const some = [admin, first, second].flatMap((one) => one?.person ?? []);
    world.channels.push(
      await world.mail.addChannel(everyone),
      await world.mail.addChannel(some),
      await world.mail.addChannel(some, { isPrivate: true }),
    );
    await world.mail.addGroup(some, { name: world.groupName });
    for (const member of world.members) await world.addPhones(member);
    return world;
  }

  get organisation(): Organisation {
    return this.mail.organisation;
  }

  get #prisma() {
    return this.system.database.database.prisma;
  }

  /** The member, channel and so on of a place in the list. */
  member(index: number): Member {
    const member = this.members[index];
    if (member === undefined) throw new Error(`There is no member ${index}.`);
    return member;
  }

  channel(index: number): Place {
    const channel = this.channels[index];
    if (channel === undefined) throw new Error(`There is no channel ${index}.`);
    return channel;
  }

  phonesOf(member: Member): LawPhone[] {
    return this.phones.filter(({ owner }) => owner === member);
  }

  /** An iPhone, an Android phone, a browser, and a phone with UnifiedPush. */
  async addPhones(owner: Member): Promise<void> {
    await this.addPlain(owner, Phone.iphone());
    await this.addPlain(owner, Phone.android());
    await this.addSubscription(owner, 'browser');
    await this.addSubscription(owner, 'unifiedpush');
  }

  /** Registers a phone for notifications in plain text. */
  async addPlain(owner: Member, app: Phone): Promise<LawPhone> {
    await app.register(owner.api);
    const newest = await this.newestMessage();
    const phone = new LawPhone(owner, app.platform, app.token, { kind: 'plain', app }, newest);
    this.phones.push(phone);
    return phone;
  }

  /** Registers a phone for encrypted notifications, also one of a known token. */
  async addEncrypted(owner: Member, platform: 'apns' | 'fcm', token?: string): Promise<LawPhone> {
    const { public_key: publicKey } = this.system.demo.push_service;
    const made = await this.system.sandbox.addPhone(platform, publicKey, token);
    const deviceId = await this.#addDevice(owner, made.registration);
    const newest = await this.newestMessage();
    const app = { kind: 'encrypted', deviceId } as const;
    const phone = new LawPhone(owner, platform, made.token, app, newest);
    this.phones.push(phone);
    return phone;
  }

  /** Registers a subscription of Web Push, also that of a known browser; resolves with the response. */
  async addSubscription(
    owner: Member,
    kind: 'browser' | 'unifiedpush',
    given?: SandboxBrowser,
  ): Promise<Reply> {
    const browser = given ?? (await this.system.sandbox.addBrowser(this.vapidKey));
    const reply = await this.subscribe(owner, { kind, browser });
    if (reply.status !== 200) return reply;
    const subscriptionId = Number(reply.body['subscription_id']);
    const newest = await this.newestMessage();
    const app = { kind, browser, subscriptionId } as const;
    this.phones = this.phones.filter(
      (known) => known.token !== browser.token || known.owner !== owner,
    );
    this.phones.push(new LawPhone(owner, 'web', browser.token, app, newest));
    return reply;
  }

  /** Registers a subscription, and returns the token that is sent to it; resolves with the response to the registration. */
  async subscribe(
    { api }: Member,
    { kind, browser }: { readonly kind: string; readonly browser: SandboxBrowser },
  ): Promise<Reply> {
    const { endpoint, p256dh, auth, token } = browser;
    const fields = { endpoint, p256dh, auth, kind, vapid_public_key: this.vapidKey };
    const reply = await api.post(WEB_PUSH_PATH, fields);
    const { state, subscription_id: id } = reply.body;
    if (state !== 'pending') return reply;
    await eventually(async () => {
      const pushes = await this.system.sandbox.shownOn(token);
      const asked = pushes.findLast(({ decrypted }) => decrypted?.['subscription_id'] === id);
      const confirmation_token = asked?.decrypted?.['confirmation_token'];
      if (confirmation_token === undefined) throw new Error('A subscription has got no token.');
      const sent = { subscription_id: id, confirmation_token };
      const { status, text } = await api.post(`${WEB_PUSH_PATH}/confirm`, sent);
      if (status !== 200) throw new Error(`A subscription was not confirmed: ${text}`);
    }, REGISTERED_MS);
    return reply;
  }

  async #addDevice(
    owner: Member,
    registration: Readonly<Record<string, string | number>>,
  ): Promise<number> {
    const { body } = await owner.api.post('/register_client_device');
    const deviceId = Number(body['device_id']);
    const reply = await owner.api.post('/mobile_push/register', {
      device_id: deviceId,
      ...registration,
    });
    if (reply.status !== 200) throw new Error(`The phone was not registered: ${reply.text}`);
    await eventually(async () => {
      const { pushTokenId } = await this.#prisma.clientDevice.findUniqueOrThrow({
        where: { id: deviceId },
      });
      if (pushTokenId === null) throw new Error('The registration of a phone is pending.');
    }, REGISTERED_MS);
    return deviceId;
  }

  /** The id of the newest message of the organisation, although it may have been deleted. */
  async newestMessage(): Promise<number> {
    const { _max } = await this.#prisma.message.aggregate({
      where: { realmId: this.organisation.id },
      _max: { id: true },
    });
    return Math.max(Number(_max.id ?? 0), ...this.sent.map(({ id }) => id));
  }

  /** The time of the reminders of people has come. */
  async makeRemindersDue(userIds: readonly number[]): Promise<void> {
    const due = { where: { userId: { in: [...userIds] } }, data: { dueAt: new Date(0) } };
    await this.#prisma.pushReminder.updateMany(due);
  }

  /** The number of deliveries that have not ended, of accounts that are decided about again, and of due reminders. */
  async pending(): Promise<number> {
    const realmId = this.organisation.id;
    const userIds = this.members.map(({ id }) => id);
    const [deliveries, deferrals, reviews, reminders] = await Promise.all([
      pendingIn(this.#prisma, realmId),
      this.#prisma.pushDeferral.count({
        where: {
          userId: { in: userIds },
          OR: [{ fromMessageId: { not: null } }, { heldFromMessageId: { not: null } }],
        },
      }),
      this.#prisma.pushReview.count({ where: { userId: { in: userIds } } }),
      this.#prisma.pushReminder.count({
        where: { userId: { in: userIds }, dueAt: { lte: new Date(Date.now() + SOON_MS) } },
      }),
    ]);
    return deliveries + deferrals + reviews + reminders;
  }

  /** Gives the people random settings, before anything is sent. */
  async settle(random: SeededRandom): Promise<void> {
    for (const { person } of this.members) {
      await this.#prisma.user.update({
        where: { id: person.id },
        data: {
          isPushEnabled: random.next() < 0.9,
          isPushedChannels: random.next() < 0.4,
          isPushedWildcards: random.next() < 0.7,
          pushReminderSeconds: random.pick([0, 300]),
        },
      });
      await this.#prisma.subscription.updateMany({
        where: { userId: person.id, channelId: random.pick(this.channels).id },
        data: {
          isMuted: random.next() < 0.3,
          pushNotifications: random.pick([null, true, false]),
          wildcardMentions: random.pick([null, true, false]),
        },
      });
    }
  }
}

/** A request, or a few, of one person; null if there is nothing to do it with. */
export type Command = (world: ScreenWorld, random: SeededRandom) => Promise<Reply | null>;
