import { type PresenceTiming, presenceAnswers, roles } from '#contracts';
import { Dice } from './dice.js';
import { addOrganisation, type Organisation, type Person } from './organisation.js';
import { ChaosClient, type ClientsTally, encodings } from './presence-chaos-client.js';
import { ChaosActor, ChaosWatcher, watcherHabits } from './presence-chaos-people.js';
import type { ChaosPrograms } from './presence-chaos-programs.js';
import type { PresenceTimes } from './presence-realm.js';
import type { Picture } from './presence-viewer.js';

const JOINED_AT = 1_600_000_000;
const GUEST_SHARE = 0.15;
const STAYING_SHARE = 0.3;
const TOGGLING_SHARE = 0.2;
const LEAVING_SHARE = 0.1;
/** A gateway asks the process that a user's id says: so many ids in a row ask every one. */
const ASKING_EACH_PROCESS = 3;

/** What a crowd is made of. */
export interface CrowdPlan {
  readonly programs: ChaosPrograms;
  readonly timing: PresenceTiming;
  readonly tally: ClientsTally;
  readonly seed: number;
  readonly actors: number;
  readonly watchers: number;
  /** By then everybody has fallen silent who does. */
  readonly lifeMs: number;
}

/** An organisation whose people report, hide, leave, come back, fall silent, and look at each other. */
export class ChaosCrowd {
  readonly actors: ChaosActor[] = [];
  readonly watchers: ChaosWatcher[] = [];
  readonly #people: Person[] = [];
  readonly #dice: Dice;

  private constructor(private readonly plan: CrowdPlan) {
    this.#dice = new Dice(plan.seed);
  }

  static async gather(plan: CrowdPlan): Promise<ChaosCrowd> {
    const crowd = new ChaosCrowd(plan);
    const organisation = await addOrganisation(plan.programs.system);
    await crowd.#addActors(organisation);
    await crowd.#addWatchers(organisation);
    return crowd;
  }

  /** Goes on until it is told to end; resolves when the last request has been answered. */
  async live(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.actors, ...this.watchers].map((one) => one.live(signal)));
  }

  /** Those who are still there go invisible. */
  async retire(): Promise<void> {
    await Promise.all(this.#staying.map((actor) => actor.retire()));
  }

  /** What is not as it must be, once nobody does anything any more. */
  async objections(): Promise<string[]> {
    const truth = (await this.#newcomer(0, 'identity')).picture;
    return [
      ...this.#denials(truth),
      ...(await this.#newcomerObjections(truth)),
      ...(await this.#chainObjections(truth)),
      ...(await this.#legacyObjections(truth)),
    ];
  }

  get #staying(): ChaosActor[] {
    return this.actors.filter((actor) => actor.isStaying);
  }

  async #addActors(organisation: Organisation): Promise<void> {
    const owner = await organisation.addPerson({ role: roles.owner, isPresenceEnabled: false });
    const admin = this.#clientOf(owner);
    for (let count = 0; count < this.plan.actors; count += 1) {
      const person = await this.#addPerson(organisation, true);
      const silentAfterMs = this.#dice.between(0, this.plan.lifeMs);
      const traits = {
        joinedAt: JOINED_AT,
        admin,
        toggles: this.#dice.roll() < TOGGLING_SHARE,
        // Of the first one others read all the time.
        leaves: this.#dice.roll() < LEAVING_SHARE && count > 0,
        silentAfterMs: this.#dice.roll() < STAYING_SHARE ? Infinity : silentAfterMs,
      };
      const client = this.#clientOf(person);
      this.actors.push(new ChaosActor(client, traits, this.plan.timing, this.#ownDice()));
    }
  }

  async #addWatchers(organisation: Organisation): Promise<void> {
    // Somebody of whom something is known from the beginning; PostgreSQL is told at once of who is active.
    const [first] = this.actors;
    await first?.report(true);
    for (let count = 0; count < this.plan.watchers; count += 1) {
      const client = this.#clientOf(await this.#addPerson(organisation, false));
      const habit = watcherHabits[count % watcherHabits.length] ?? 'often';
      const asked = first === undefined ? [] : [first.id];
      this.watchers.push(new ChaosWatcher(client, habit, asked, this.#ownDice()));
    }
  }

  async #addPerson(organisation: Organisation, isPresenceEnabled: boolean): Promise<Person> {
    const role = this.#dice.roll() < GUEST_SHARE ? roles.guest : roles.member;
    const dateJoined = new Date(JOINED_AT * 1000);
    const person = await organisation.addPerson({ role, isPresenceEnabled, dateJoined });
    this.#people.push(person);
    return person;
  }

  #clientOf(person: Person, encoding = this.#dice.pick(encodings)): ChaosClient {
    const { programs, tally } = this.plan;
    return new ChaosClient(person, encoding, programs.gatewayUrls, this.#ownDice(), tally);
  }

  #ownDice(): Dice {
    return new Dice(Math.floor(this.#dice.between(0, 2 ** 31)));
  }

  /** Somebody who is invisible and has just begun to look. */
  async #newcomer(index: number, encoding: (typeof encodings)[number]): Promise<ChaosClient> {
    const watcher = this.watchers[index % this.watchers.length];
    if (watcher === undefined) throw new Error('Nobody looks.');
    const client = this.#clientOf(watcher.client.person, encoding);
    await client.poll('active');
    return client;
  }

  /** What is told against what was asked for and answered with success. */
  #denials(told: Picture): string[] {
    const strangers = new Set(told.keys());
    const denials = this.actors.flatMap(({ id, isGone, truth }) => {
      const wasTold = strangers.delete(id);
      if (isGone) return wasTold ? [`${id} is told of, and deactivated`] : [];
      const objection = truth.objection(told.get(id));
      return objection === null ? [] : [`${id}: ${objection}`];
    });
    return [...denials, ...[...strangers].map((id) => `${id} is told of, and always invisible`)];
  }

  async #newcomerObjections(truth: Picture): Promise<string[]> {
    const newcomers = encodings.flatMap((encoding) =>
      Array.from({ length: ASKING_EACH_PROCESS }, (_, index) => this.#newcomer(index, encoding)),
    );
    const all = await Promise.all(newcomers);
    return all.flatMap(({ encoding, person, picture }) => [
      ...differingFrom(truth, picture).map((what) => `${person.id} anew by ${encoding}: ${what}`),
      ...(picture.size === truth.size ? [] : [`${picture.size} instead of ${truth.size} are told`]),
    ]);
  }

  /** Everybody's cursor leads them to the same, as far as it is about people who are still in use. */
  async #chainObjections(truth: Picture): Promise<string[]> {
    const looking = this.watchers.filter(({ habit }) => habit === 'often' || habit === 'seldom');
    const clients = [...looking, ...this.#staying].map(({ client }) => client);
    await Promise.all(clients.map((client) => client.poll('active')));
    return clients.flatMap(({ person, cursor, picture }) =>
      differingFrom(truth, picture).map((what) => `${person.id} after ${cursor}: ${what}`),
    );
  }

  async #legacyObjections(truth: Picture): Promise<string[]> {
    const client = await this.#newcomer(0, 'gzip');
    const answers = await Promise.all([
      client.send('POST', '/users/me/presence', { status: 'active' }),
      client.send('GET', '/realm/presence'),
    ]);
    const emails = new Map(this.#people.map(({ id, email }) => [id, email]));
    const expected = Object.fromEntries(
      [...truth].map(([id, times]) => [emails.get(id) ?? '', legacyOf(times)]),
    );
    const canonical = (presences: Readonly<Record<string, unknown>>) =>
      JSON.stringify(
        Object.entries(presences).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    return answers
      .filter(({ body }) => {
        // The shape of a successful answer in the legacy format.
        const presences = body['presences'] as Record<string, { aggregated: LegacyTimes }>;
        const told = Object.entries(presences).map(([email, { aggregated }]) => {
          const { status, timestamp } = aggregated;
          return [email, { status, timestamp }];
        });
        return canonical(Object.fromEntries(told)) !== canonical(expected);
      })
      .map(({ text }) => `In the legacy format: ${text}`);
  }
}

interface LegacyTimes {
  readonly status: string;
  readonly timestamp: number;
}

function legacyOf({ active_timestamp: active, idle_timestamp: idle }: PresenceTimes): LegacyTimes {
  return active + presenceAnswers.legacyActiveOffsetSeconds >= idle
    ? { status: 'active', timestamp: active }
    : { status: 'idle', timestamp: idle };
}

const differingFrom = (truth: Picture, told: Picture): string[] =>
  [...truth]
    .filter(([id, is]) => JSON.stringify(told.get(id)) !== JSON.stringify(is))
    .map(([id, is]) => `${id} is told ${JSON.stringify(told.get(id))}, is ${JSON.stringify(is)}`);
