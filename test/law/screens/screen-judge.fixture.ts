import type { SandboxDelivery, SandboxScreen } from '#test/sandbox-client';
import { LATE_MS } from './screen-faults.fixture.js';
import { readFacts, type Reading } from './screen-facts.fixture.js';
import type { LawPhone } from './screen-phone.fixture.js';
import { isShownAtRest } from './screen-rule.fixture.js';
import type { ScreenWorld } from './screen-world.fixture.js';

/** The faults that a history had beside those of its phones. */
export interface ProcessFaults {
  /** Killed workers, and broken connections: each may repeat a push that was in flight. */
  readonly repeats: number;
}

/** A push names fifty messages that the account was notified of. Some are notified several times. */
const CERTAINLY_NAMED = 25;

/** One phone, and everything that was sent to it. */
interface Evidence {
  readonly phone: LawPhone;
  readonly screen: SandboxScreen | undefined;
  readonly pushes: readonly Pushed[];
}

/** A push to a phone, in the words of its app. */
interface Pushed {
  readonly event: string;
  /** The messages that it shows, or removes. */
  readonly messageIds: readonly number[];
  readonly delivery: SandboxDelivery;
}

/** Every difference between the screens of the phones of a history and the rule for the facts at rest. */
export async function violationsOf(world: ScreenWorld, faults: ProcessFaults): Promise<string[]> {
  const [facts, evidence] = await Promise.all([
    readFacts(world.system, world.organisation.id),
    Promise.all(world.phones.map((phone) => evidenceOf(phone, world))),
  ]);
  return evidence.flatMap((one) => {
    const reading = facts.get(one.phone.owner.id);
    if (reading === undefined) throw new Error('An account is missing.');
    return one.phone.end === null
      ? faultsOfScreen(one, reading, { world, faults })
      : faultsAfterEnd(one);
  });
}

/** Asks for the own tokens only: the sandbox would answer no push while it lists those of all histories. */
async function evidenceOf(phone: LawPhone, { system }: ScreenWorld): Promise<Evidence> {
  const [screen, deliveries] = await Promise.all([
    system.sandbox.screenOf(phone.token),
    system.sandbox.deliveries({ token: phone.token }),
  ]);
  return { phone, screen, pushes: deliveries.map(pushedBy) };
}

/** A phone that is not registered any more gets nothing new. */
function faultsAfterEnd({ phone, pushes }: Evidence): string[] {
  const { end } = phone;
  if (end === null) return [];
  return pushes
    .filter(({ event, messageIds, delivery }) => {
      const isNew = event === 'message' && messageIds.some((id) => id > end.newestMessage);
      return isNew || (end.isRevoked && delivery.received_at > end.at);
    })
    .map(({ messageIds }) => `${phone.name}: got ${messageIds.join()} after its registration`);
}

/** The phones that share a token show the same screen. */
const isReplaced = (phone: LawPhone, { phones }: ScreenWorld): boolean =>
  phones.some((other) => other !== phone && other.token === phone.token && other.end === null);

function faultsOfScreen(
  { phone, screen, pushes }: Evidence,
  { account, unread }: Reading,
  { world, faults }: { readonly world: ScreenWorld; readonly faults: ProcessFaults },
): string[] {
  const own = `#user/${phone.owner.id}`;
  const copies = new Map(
    (screen?.messages ?? [])
      .filter((one) => one.account.endsWith(own))
      .map((one) => [Number(one.message_id), one.copies]),
  );
  const wanted = unread
    .filter((message) => isShownAtRest(account, message))
    .map(({ messageId }) => messageId);
  const of = (event: string, id: number): Pushed[] =>
    pushes.filter((push) => push.event === event && push.messageIds.includes(id));
  const isUncertain = (id: number): boolean =>
    id <= phone.registeredAfter || world.markedUnread.has(`${phone.owner.id} ${id}`);
  const missing = wanted.filter(
    (id) =>
      !copies.has(id) &&
      !isUncertain(id) &&
      !phone.isDead &&
      !of('message', id).some(isLost) &&
      !(world.quieted.has(phone.owner.id) && hasNewer(id, world)),
  );
  const stale = [...copies.keys()].filter(
    (id) =>
      !wanted.includes(id) &&
      !phone.isDead &&
      !of('remove', id).some(isLost) &&
      !(phone.app.kind === 'browser' && mayStay(id, world)),
  );
  const repeated = [...copies].filter(([id, count]) => {
    const repetitions = phone.platform === 'fcm' ? of('message', id).filter(isUnconfirmed) : [];
    const kept = of('remove', id).filter(isLost);
    const mayRepeat = phone.platform === 'fcm' ? faults.repeats : 0;
    return count > 1 + repetitions.length + kept.length + mayRepeat;
  });
  const sealed = isReplaced(phone, world)
    ? (screen?.notifications ?? []).filter(({ message_ids: ids }) => ids.length === 0)
    : [];
  return [
    ...missing.map((id) => `${phone.name}: does not show ${id}${courseOf(id, pushes)}`),
    ...stale.map((id) => `${phone.name}: shows ${id} still${courseOf(id, pushes)}`),
    ...repeated.map(
      ([id, count]) => `${phone.name}: shows ${id} ${count} times${courseOf(id, pushes)}`,
    ),
    ...sealed.map(({ title }) => `${phone.name}: shows "${title}", which it cannot read`),
  ];
}

/** Whether a browser may show a message that was read: no later one has named it, since none came, or many did. */
const mayStay = (id: number, { sent, hasLastMessage }: ScreenWorld): boolean =>
  !hasLastMessage || sent.filter((one) => one.id > id).length > CERTAINLY_NAMED;

/** Whether a newer message was sent to the place of a message: after a quiet time it stands for the older ones. */
function hasNewer(id: number, { sent }: ScreenWorld): boolean {
  const message = sent.find((one) => one.id === id);
  return sent.some(
    (one) => one.id > id && one.channelId === message?.channelId && one.topic === message?.topic,
  );
}

/** What was sent to the phone about a message, for the report of a failure. */
function courseOf(id: number, pushes: readonly Pushed[]): string {
  const own = pushes.filter(({ messageIds }) => messageIds.includes(id));
  const steps = own.map(({ event, delivery: { received_at: at, status, shown } }) => {
    const time = new Date(at * 1000).toISOString().slice(11, 23);
    return ` ${time} ${event} ${status ?? 'unanswered'}${shown ? ', shown' : ''}`;
  });
  return `; it got:${steps.join(';')}`;
}

const isAccepted = (status: number | null): boolean => status === 200 || status === 201;

/** The provider accepted it, and the phone did not get it. What a push service keeps for a browser arrives later. */
const isLost = ({ delivery: { shown, status, reason } }: Pushed): boolean =>
  !shown && isAccepted(status) && reason !== 'held';

/** The phone got it, and the worker could not know. */
const isUnconfirmed = ({ delivery: { shown, status, delay_ms: delay } }: Pushed): boolean =>
  shown && (!isAccepted(status) || delay >= LATE_MS);

function pushedBy(delivery: SandboxDelivery): Pushed {
  const { payload, decrypted } = delivery;
  const message = payload['message'] as { readonly data?: Fields } | undefined;
  const app = decrypted ?? (payload['zulip'] as Fields | undefined) ?? message?.data ?? {};
  const ids = Object.entries(app).flatMap(([name, value]) =>
    /^(?!read_).*message_ids?$/.test(name) ? String(value).split(',').map(Number) : [],
  );
  return { event: String(app['event'] ?? app['type']), messageIds: ids, delivery };
}

type Fields = Readonly<Record<string, unknown>>;
