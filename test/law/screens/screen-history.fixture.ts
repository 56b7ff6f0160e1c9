import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '#test/seeded-random';
import type { System } from '#test/start-system';
import { type CommandGroup, commands, exclusive, weights } from './screen-commands.fixture.js';
import { letAnyFail, type PhoneFault } from './screen-faults.fixture.js';
import type { ProcessFaults } from './screen-judge.fixture.js';
import { leave, untilAtRest } from './screen-rest.fixture.js';
import { type Command, ScreenWorld } from './screen-world.fixture.js';

/** The commands and faults of random histories. */
export interface Theme {
  readonly groups: readonly CommandGroup[];
  readonly faults?: readonly PhoneFault[];
  /** Whether commands mostly run at the same time. */
  readonly isCrowded?: boolean;
}

/** What happens to the programs during a history. */
interface Circumstances {
  readonly faults: ProcessFaults;
  /** The history goes on until then. */
  readonly until: AbortSignal;
}

const quiet: Circumstances = { faults: { repeats: 0 }, until: AbortSignal.abort() };

/** The commands that have succeeded in some history. */
export const succeeded = new Set<string>();

const STEPS = 40;
/** A history contains each of its commands once; this share of its steps is for that. */
const EACH_ONCE_SHARE = 0.6;
const FAULT_CHANCE = 0.25;
const LONGEST_PAUSE_MS = 120;
/** The chance that a history waits for the commands that run before it begins another one. */
const END_CHANCE = 0.6;
const CROWDED_END_CHANCE = 0.15;
/** A history waits so long at times, so that notifications are shown before the next command. */
const SHOWN_MS = 1500;
const SETTLED_CHANCE = 0.12;

/** A random history of one organisation. */
export class ScreenHistory {
  readonly #random: SeededRandom;
  readonly #running = new Set<Promise<void>>();
  readonly #unused: NamedCommand[];

  constructor(
    private readonly system: System,
    private readonly theme: Theme,
    seed: number,
    private readonly circumstances: Circumstances = quiet,
  ) {
    this.#random = new SeededRandom(seed);
    this.#unused = this.#random.shuffled(commandsOf(theme.groups));
  }

  /** Makes the history; resolves with the differences at rest, each as a line, and the history after them. */
  async run(): Promise<string[]> {
    const world = await ScreenWorld.make(this.system);
    await world.settle(this.#random);
    if (this.theme.groups.includes('devices')) {
      await world.addEncrypted(world.member(0), 'apns');
      await world.addEncrypted(world.member(1), 'fcm');
    }
    const { faults, until } = this.circumstances;
    for (let step = 0; step < STEPS || !until.aborted; step += 1) await this.#step(world);
    await Promise.all(this.#running);
    await leave(world, this.#random);
    const violations = await untilAtRest(world, faults);
    return violations.length === 0 ? [] : [...violations, ...world.log];
  }

  async #step(world: ScreenWorld): Promise<void> {
    const random = this.#random;
    const { groups, faults = [], isCrowded = false } = this.theme;
    if (faults.length > 0 && random.next() < FAULT_CHANCE) {
      await letAnyFail(world, random, faults);
    }
    const chosen =
      (random.next() < EACH_ONCE_SHARE ? this.#unused.pop() : undefined) ??
      random.pick(commandsOf([chooseGroup(groups, random)]));
    const { group } = chosen;
    if (exclusive.has(group)) await Promise.all(this.#running);
    const running = this.#run(world, chosen);
    if (exclusive.has(group)) await running;
    else this.#keep(running);
    // Commands that begin together often run at once.
    if (random.next() < (isCrowded ? CROWDED_END_CHANCE : END_CHANCE)) {
      await Promise.all(this.#running);
    }
    if (!isCrowded) await delay(random.between(0, LONGEST_PAUSE_MS));
    if (random.next() < SETTLED_CHANCE) await this.#untilShown(world);
  }

  #keep(running: Promise<void>): void {
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running)).catch(() => undefined);
  }

  async #run(world: ScreenWorld, chosen: NamedCommand): Promise<void> {
    const { name, command } = chosen;
    const reply = await command(world, this.#random);
    if (reply !== null && reply.status >= 500) {
      throw new Error(`${name}: ${reply.status} ${reply.text}`);
    }
    if (reply?.status === 200) succeeded.add(name);
    // It had nothing to do it with yet.
    else if (!succeeded.has(name)) this.#unused.unshift(chosen);
  }

  async #untilShown(world: ScreenWorld): Promise<void> {
    const beganAt = performance.now();
    while ((await world.pending()) > 0 && performance.now() < beganAt + SHOWN_MS) await delay(50);
  }
}

interface NamedCommand {
  readonly group: CommandGroup;
  readonly name: string;
  readonly command: Command;
}

const commandsOf = (groups: readonly CommandGroup[]): NamedCommand[] =>
  groups.flatMap((group) =>
    Object.entries<Command>(commands[group]).map(([name, command]) => ({ group, name, command })),
  );

function chooseGroup(groups: readonly CommandGroup[], random: SeededRandom): CommandGroup {
  const total = groups.reduce((sum, group) => sum + weights[group], 0);
  let left = random.next() * total;
  for (const group of groups) {
    left -= weights[group];
    if (left <= 0) return group;
  }
  return random.pick(groups);
}
