import { describe, expect, it, jest } from '@jest/globals';
import { clientCapabilities } from '#events/declarations';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { startVideoProvider } from '#test/video-provider';
import { type ClientOptions, LawClient, randomOptions } from './law-client.fixture.js';
import { commands } from './law-commands.fixture.js';
import { notes } from './law-endpoints.fixture.js';
import {
  changeNames,
  type LawRequest,
  LawRequests,
  mayEndQueues,
  unknownNames,
} from './law-requests.fixture.js';
import { LawWorld } from './law-world.fixture.js';

/** The run ends after so many rounds and a success of every endpoint, or after `MAX_MS`. */
const MIN_ROUNDS = isLongRun ? 2000 : 25;
const MAX_MS = isLongRun ? 1_200_000 : 240_000;
const REQUESTS_AT_ONCE = 12;
const CLIENTS = 10;
/** Clients that each round replaces, so that registrations meet changes. */
const NEW_CLIENTS = 2;
/** An event may reach a gateway later than the answer of its request, on a busy machine much later. */
const LATENESS_MS = 30_000;
const MAX_FAULTS = 5;
/** A command opens its own connections, which takes longer than a request. */
const COMMAND_WEIGHT = 0.3;

jest.setTimeout(MAX_MS + 120_000);

/** Requests in rounds, and clients that must know their effects. */
class Law {
  readonly successes = new Map<string, number>();
  readonly refusals = new Map<string, string>();
  readonly compared: ClientOptions[] = [];
  readonly faults: string[] = [];
  rounds = 0;
  #requests: LawRequests;
  #clients: LawClient[] = [];

  constructor(
    private readonly world: LawWorld,
    private readonly random: SeededRandom,
  ) {
    this.#requests = new LawRequests(world, random);
  }

  /** Runs at least the rounds of `MIN_ROUNDS`, and until every endpoint has succeeded. */
  async run(): Promise<void> {
    const end = Date.now() + MAX_MS;
    await this.#replaceClients(CLIENTS);
    while (this.rounds < MIN_ROUNDS || this.missing().length > 0) {
      await this.#round();
      if (Date.now() > end || this.faults.length >= MAX_FAULTS) return;
    }
  }

  /** The endpoints and commands without a success. */
  missing(): string[] {
    return changeNames.filter((name) => !this.successes.has(name));
  }

  async #round(): Promise<void> {
    this.rounds += 1;
    await this.world.look();
    const requests = Array.from({ length: REQUESTS_AT_ONCE }, () =>
      this.#requests.of(this.#nextName()),
    );
    const outcomes: string[] = [];
    await Promise.all([
      ...requests.map(async (request) => outcomes.push(await this.#send(request))),
      this.#replaceClients(NEW_CLIENTS),
    ]);
    const clients = this.#clients;
    const obeying = await Promise.all(clients.map((client) => this.#obeys(client, outcomes)));
    this.#clients = clients.filter((_, index) => obeying[index]);
    if (requests.some(mayEndQueues)) return;
    for (const client of clients.filter(({ hasLostQueue }) => hasLostQueue)) {
      this.faults.push(report(client, ['The queue has ended for no reason.'], outcomes));
    }
  }

  /** Every other request is for the endpoint with the fewest successes. */
  #nextName(): string {
    const names = changeNames;
    if (this.random.next() < 0.4) {
      const fewest = Math.min(...names.map((name) => this.successes.get(name) ?? 0));
      return this.random.pick(names.filter((name) => (this.successes.get(name) ?? 0) === fewest));
    }
    const weights = names.map(
      (name) => notes[name]?.weight ?? (name in commands ? COMMAND_WEIGHT : 1),
    );
    let left = this.random.next() * weights.reduce((sum, weight) => sum + weight, 0);
    return names.find((_, index) => (left -= weights[index] ?? 1) <= 0) ?? names[0] ?? '';
  }

  async #send(request: LawRequest): Promise<string> {
    const { name, actor, fields } = request;
    const { status, text } = await request.send();
    const outcome = `${actor.person.id} (${actor.role}): ${name} ${JSON.stringify(fields)} -> ${status} ${text.trim()}`;
    if (status >= 500) throw new Error(outcome);
    if (status === 200) this.successes.set(name, (this.successes.get(name) ?? 0) + 1);
    else this.refusals.set(name, outcome);
    return outcome;
  }

  async #replaceClients(count: number): Promise<void> {
    const added = await Promise.all(
      Array.from({ length: count }, () =>
        LawClient.register(this.world.pickActor(this.random), randomOptions(this.random)),
      ),
    );
    const newest = [...this.#clients, ...added.filter((client) => client !== null)];
    this.#clients = newest.slice(-CLIENTS);
  }

  /** False if the client cannot go on, or if its state is not that of a new registration. */
  async #obeys(client: LawClient, requests: readonly string[]): Promise<boolean> {
    const end = Date.now() + LATENESS_MS;
    for (;;) {
      const differences = await client.differences();
      if (differences === null) return false;
      if (differences.length === 0) break;
      if (Date.now() < end) continue;
      this.faults.push(report(client, differences, requests));
      return false;
    }
    this.compared.push(client.options);
    client.recent.length = 0;
    return true;
  }
}

function report(
  client: LawClient,
  differences: readonly string[],
  requests: readonly string[],
): string {
  const { actor, options, recent } = client;
  return [
    `The state of account ${actor.person.id} (role ${actor.role}) is not that of a new registration (--seed=${chaosSeed}).`,
    `options: ${JSON.stringify(options)}`,
    ...differences,
    'requests of the round:',
    ...requests,
    'events since the last comparison:',
    ...recent.map((event) => JSON.stringify(event)),
  ].join('\n');
}

const videoProvider = useFixture(startVideoProvider);
// Its own gateway: clients poll, which would disturb the statement counts of other files.
const system = useGateway(() => videoProvider.environment);
const law = useFixture(async () => new Law(await LawWorld.in(system), new SeededRandom(chaosSeed)));

describe(`The state of a registration with the events after it (--seed=${chaosSeed})`, () => {
  it('is the state of a new registration, after any requests', async () => {
    await law.run();
    process.stdout.write(
      `law --seed=${chaosSeed}: ${law.rounds} rounds, ${law.compared.length} comparisons, ` +
        `${[...law.successes.values()].reduce((sum, count) => sum + count, 0)} changes\n`,
    );
    if (law.faults.length > 0) throw new Error(law.faults.join('\n\n'));
    // The other clients have lost their sign-in or their queue.
    expect(law.compared.length).toBeGreaterThan((law.rounds * CLIENTS) / 2);
  });

  it('was reached by a success of every endpoint and command that changes something', () => {
    const why = law.missing().map((name) => law.refusals.get(name) ?? `${name}: never sent`);
    expect(why).toEqual([]);
  });

  it('was compared with each capability and without it', () => {
    for (const capability of clientCapabilities) {
      const values = law.compared.map(
        (options) => options.client_capabilities[capability] ?? false,
      );
      expect([capability, new Set(values)]).toEqual([capability, new Set([true, false])]);
    }
  });

  it('has notes only on existing endpoints', () => {
    expect(unknownNames()).toEqual([]);
  });
});
