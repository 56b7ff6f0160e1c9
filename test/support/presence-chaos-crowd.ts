import { roles } from '#directory/roles';
import { presenceAnswers, type PresenceTiming } from '#presence/rules';
import { SeededRandom } from './seeded-random.js';
import { addOrganisation, type Organisation, type Person } from './organisation.js';
import { ChaosClient, type ClientsTally, encodings } from './presence-chaos-client.js';
import { ChaosActor, ChaosWatcher, watcherHabits } from './presence-chaos-people.js';
import type { ChaosPrograms } from './presence-chaos-programs.js';
import type { PresenceTimes } from './presence-realm.js';
import type { PresenceState } from './presence-viewer.js';

const JOINED_AT = 1_600_000_000;
const GUEST_SHARE = 0.15;
const STAYING_SHARE = 0.3;
const TOGGLING_SHARE = 0.2;
const LEAVING_SHARE = 0.1;
/** Enough consecutive ids to reach every process. */
const ASKING_EACH_PROCESS = 3;

/** The composition of a crowd. */
interface CrowdPlan {
  readonly programs: ChaosPrograms;
  readonly timing: PresenceTiming;
  readonly tally: ClientsTally;
  readonly seed: number;
  readonly actors: number;
  readonly watchers: number;
  /** The time after which no more users fall silent. */
  readonly lifeMs: number;
}

/** An organisation whose users report, go invisible, are deactivated, return, fall silent and poll. */
export class ChaosCrowd {
  readonly actors: ChaosActor[] = [];
  readonly watchers: ChaosWatcher[] = [];
  readonly #people: Person[] = [];
  readonly #random: SeededRandom;

  private constructor(private readonly plan: CrowdPlan) {
    this.#random = new SeededRandom(plan.seed);
  }

  static async create(plan: CrowdPlan): Promise<ChaosCrowd> {
    const crowd = new ChaosCrowd(plan);
    const organisation = await addOrganisation(plan.programs.system);
    await crowd.#addActors(organisation);
    await crowd.#addWatchers(organisation);
    return crowd;
  }

  /** Runs until `end`; resolves when the last request has been answered. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.actors, ...this.watchers].map((one) => one.run(signal)));
  }

  /** The remaining users go invisible. */
  async goInvisible(): Promise<void> {
    await Promise.all(this.#staying.map((actor) => actor.goInvisible()));
  }

  /** The differences from the expected state, after all activity has ended. */
  async violations(): Promise<string[]> {
    const reference = (await this.#newClient(0, 'identity')).state;
    return [
      ...this.#violations(reference),
      ...(await this.#newClientViolations(reference)),
      ...(await this.#chainViolations(reference)),
      ...(await this.#legacyViolations(reference)),
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
      const silentAfterMs = this.#random.between(0, this.plan.lifeMs);
      const traits = {
        joinedAt: JOINED_AT,
        admin,
        toggles: this.#random.next() < TOGGLING_SHARE,
        // Others read the presence of the first user continuously.
        leaves: this.#random.next() < LEAVING_SHARE && count > 0,
        silentAfterMs: this.#random.next() < STAYING_SHARE ? Infinity : silentAfterMs,
      };
      const client = this.#clientOf(person);
      this.actors.push(new ChaosActor(client, traits, this.plan.timing, this.#ownRandom()));
    }
  }

  async #addWatchers(organisation: Organisation): Promise<void> {
    // A user with known presence from the start: PostgreSQL gets an active user at once.
    const [first] = this.actors;
    await first?.report(true);
    for (let count = 0; count < this.plan.watchers; count += 1) {
      const client = this.#clientOf(await this.#addPerson(organisation, false));
      const habit = watcherHabits[count % watcherHabits.length] ?? 'often';
      const asked = first === undefined ? [] : [first.id];
      this.watchers.push(new ChaosWatcher(client, habit, asked, this.#ownRandom()));
    }
  }

  async #addPerson(organisation: Organisation, isPresenceEnabled: boolean): Promise<Person> {
    const role = this.#random.next() < GUEST_SHARE ? roles.guest : roles.member;
    const dateJoined = new Date(JOINED_AT * 1000);
    const person = await organisation.addPerson({ role, isPresenceEnabled, dateJoined });
    this.#people.push(person);
    return person;
  }

  #clientOf(person: Person, encoding = this.#random.pick(encodings)): ChaosClient {
    const { programs, tally } = this.plan;
    return new ChaosClient(person, encoding, programs.gatewayUrls, this.#ownRandom(), tally);
  }

  #ownRandom(): SeededRandom {
    return new SeededRandom(Math.floor(this.#random.between(0, 2 ** 31)));
  }

  /** A new viewer, who is invisible. */
  async #newClient(index: number, encoding: (typeof encodings)[number]): Promise<ChaosClient> {
    const watcher = this.watchers[index % this.watchers.length];
    if (watcher === undefined) throw new Error('There is no viewer.');
    const client = this.#clientOf(watcher.client.person, encoding);
    await client.poll('active');
    return client;
  }

  /** The differences between the shown state and the successful requests. */
  #violations(received: PresenceState): string[] {
    const unexpected = new Set(received.keys());
    const violations = this.actors.flatMap(({ id, isGone, expected }) => {
      const wasShown = unexpected.delete(id);
      if (isGone) return wasShown ? [`${id} is shown, and deactivated`] : [];
      const violation = expected.violation(received.get(id));
      return violation === null ? [] : [`${id}: ${violation}`];
    });
    return [...violations, ...[...unexpected].map((id) => `${id} is shown, and always invisible`)];
  }

  async #newClientViolations(reference: PresenceState): Promise<string[]> {
    const newClients = encodings.flatMap((encoding) =>
      Array.from({ length: ASKING_EACH_PROCESS }, (_, index) => this.#newClient(index, encoding)),
    );
    const all = await Promise.all(newClients);
    return all.flatMap(({ encoding, person, state }) => [
      ...differingFrom(reference, state).map(
        (what) => `${person.id}, new client with ${encoding}: ${what}`,
      ),
      ...(state.size === reference.size
        ? []
        : [`${state.size} instead of ${reference.size} are shown`]),
    ]);
  }

  /** Checks that all viewers have the same state of the active accounts. */
  async #chainViolations(reference: PresenceState): Promise<string[]> {
    const looking = this.watchers.filter(({ habit }) => habit === 'often' || habit === 'rarely');
    const clients = [...looking, ...this.#staying].map(({ client }) => client);
    await Promise.all(clients.map((client) => client.poll('active')));
    return clients.flatMap(({ person, cursor, state }) =>
      differingFrom(reference, state).map((what) => `${person.id} after ${cursor}: ${what}`),
    );
  }

  async #legacyViolations(reference: PresenceState): Promise<string[]> {
    const client = await this.#newClient(0, 'gzip');
    const answers = await Promise.all([
      client.send('POST', '/users/me/presence', { status: 'active' }),
      client.send('GET', '/realm/presence'),
    ]);
    const emails = new Map(this.#people.map(({ id, email }) => [id, email]));
    const expected = Object.fromEntries(
      [...reference].map(([id, times]) => [emails.get(id) ?? '', legacyOf(times)]),
    );
    const canonical = (presences: Readonly<Record<string, unknown>>) =>
      JSON.stringify(
        Object.entries(presences).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    return answers
      .filter(({ body }) => {
        // The shape of a successful answer in the legacy format.
        const presences = body['presences'] as Record<string, { aggregated: LegacyTimes }>;
        const received = Object.entries(presences).map(([email, { aggregated }]) => {
          const { status, timestamp } = aggregated;
          return [email, { status, timestamp }];
        });
        return canonical(Object.fromEntries(received)) !== canonical(expected);
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

const differingFrom = (reference: PresenceState, received: PresenceState): string[] =>
  [...reference]
    .filter(([id, is]) => JSON.stringify(received.get(id)) !== JSON.stringify(is))
    .map(
      ([id, is]) =>
        `${id} is shown as ${JSON.stringify(received.get(id))}, is ${JSON.stringify(is)}`,
    );
