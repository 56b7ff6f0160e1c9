import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PresenceRequest } from '#presence/rpc';
import { PresenceCounters } from '#presence/metrics';
import { RealmReplica } from '#presence/replica';
import type { PresenceChange, PresenceEntry } from '#presence/rules';
import { AnswerBuilder } from './answer-builder.js';
import { pollWith } from './poll.fixture.js';

/** The same in all changes, since no change is lost here. */
const CHAIN = 1;
const START_MS = 1_800_000_000_000;
const JOINED_AT = 1_600_000_000;
const USERS = 160;
/** A deactivated user, who changes like others and is never shown. */
const HIDDEN_USER = 1;

type Format = PresenceRequest['format'];

const directory = {
  get: (userId: number) => ({ userId, email: String(userId), isActive: true }),
  isStillToRead: () => false,
};

/** A client with its received entries, as JSON by user. */
class Viewer {
  cursor: number | null = null;
  readonly picture = new Map<string, string>();

  constructor(readonly format: Format) {}

  async poll({ answers, realm }: Process): Promise<void> {
    // Separate accounts, which report nothing.
    const request = pollWith({ userId: 0, format: this.format, lastUpdateId: this.cursor });
    const text = await answers.build(request, { realm, directory, limits: null });
    const { presence_last_update_id: cursor, presences } = JSON.parse(String(text));
    expect(cursor).toBeGreaterThanOrEqual(this.cursor ?? -1);
    this.cursor = cursor;
    for (const [user, times] of Object.entries(presences)) {
      this.picture.set(user, JSON.stringify(times));
    }
  }
}

/** A process that follows the changes, possibly behind the others. */
class Process {
  readonly answers: AnswerBuilder;
  replica = RealmReplica.complete({ epoch: 1, top: 0, chain: CHAIN }, []);
  readonly realm = {
    caughtUpReplica: async () => this.replica,
    unappliedChange: () => undefined,
    // No account is remembered: every recent shared answer may be reused.
    served: { of: () => 0, record: () => undefined },
  };
  #followed = 0;

  constructor(counters: PresenceCounters, clock: () => number) {
    this.answers = new AnswerBuilder(counters, clock, (run) => run());
  }

  follow(changes: readonly PresenceChange[], most: number): void {
    const next = changes.slice(this.#followed, this.#followed + most);
    this.#followed += next.length;
    for (const change of next) this.replica.apply(change);
    expect(this.replica.position).toBe(changes[this.#followed - 1]?.entry.id ?? 0);
  }

  reload(): void {
    this.replica = RealmReplica.complete(
      { epoch: 1, top: this.replica.position, chain: CHAIN },
      this.replica.entries(),
    );
  }
}

/** A user in a format. */
function fragmentOf({ activeAt, idleAt }: PresenceEntry, format: Format): string {
  if (format === 'modern') {
    return JSON.stringify({ active_timestamp: activeAt || JOINED_AT, idle_timestamp: idleAt });
  }
  const status = activeAt === 0 ? 'idle' : 'active';
  const common = { client: 'website', status, timestamp: idleAt };
  return JSON.stringify({ aggregated: common, website: { ...common, pushable: false } });
}

/** One realm of two processes, with its history and its viewers. */
class World {
  readonly processes: readonly Process[];
  readonly viewers: readonly Viewer[];
  readonly #changes: PresenceChange[] = [];
  #nowMs = START_MS;

  constructor(counters: PresenceCounters) {
    const clock = () => this.#nowMs;
    this.processes = [new Process(counters, clock), new Process(counters, clock)];
    this.viewers = [...modern(3), new Viewer('legacy')];
  }

  take(step: Step): Promise<void> | void {
    switch (step.kind) {
      case 'change':
        return this.#publish(step);
      case 'follow':
        return this.processes[step.process]?.follow(this.#changes, step.most);
      case 'reload':
        return this.processes[step.process]?.reload();
      case 'poll':
        return this.#poll(this.viewers[step.viewer], this.processes[step.process]);
      case 'wait':
        this.#nowMs += step.ms;
    }
  }

  /** Polls once more for every viewer, after all processes have all changes and no shared answer is left. */
  async settle(): Promise<void> {
    this.#nowMs += 1000;
    for (const process of this.processes) process.follow(this.#changes, Infinity);
    for (const viewer of this.viewers) {
      const fresh = new Viewer(viewer.format);
      await this.#poll(viewer, this.processes[0]);
      await this.#poll(fresh, this.processes[1]);
      expect(textOf(viewer.picture)).toBe(textOf(fresh.picture));
    }
  }

  async #poll(viewer: Viewer | undefined, process: Process | undefined): Promise<void> {
    if (!viewer || !process) throw new Error('The steps know more than there are');
    await viewer.poll(process);
    expect(textOf(viewer.picture)).toBe(textOf(this.#pictureAt(viewer.cursor, viewer.format)));
  }

  /** The state that a viewer with a cursor must have. */
  #pictureAt(cursor: number | null, format: Format): Map<string, string> {
    const picture = new Map<string, string>();
    for (const { entry } of this.#changes) {
      if (entry.id > (cursor ?? -1)) break;
      if (entry.userId !== HIDDEN_USER)
        picture.set(String(entry.userId), fragmentOf(entry, format));
    }
    return picture;
  }

  #publish({ firstUser, users, everyMs, isActive }: Extract<Step, { kind: 'change' }>): void {
    for (let index = 0; index < users; index += 1) {
      this.#nowMs += everyMs;
      const previousId = this.#changes.at(-1)?.entry.id ?? 0;
      const idleAt = Math.floor(this.#nowMs / 1000);
      const userId = ((firstUser + index) % USERS) + 1;
      const entry: PresenceEntry = {
        userId,
        id: Math.max(previousId + 1, this.#nowMs * 1000),
        activeAt: isActive ? idleAt : 0,
        idleAt,
        joinedAt: JOINED_AT,
        hiddenAt: 0,
        isDeactivated: userId === HIDDEN_USER,
      };
      this.#changes.push({ entry, previousId, previousChain: CHAIN, chain: CHAIN });
    }
  }
}

const modern = (count: number): Viewer[] =>
  Array.from({ length: count }, () => new Viewer('modern'));

const textOf = (picture: ReadonlyMap<string, string>): string =>
  [...picture]
    .map((entry) => entry.join(' '))
    .toSorted()
    .join('\n');

type Step =
  | {
      kind: 'change';
      firstUser: number;
      users: number;
      everyMs: number;
      isActive: boolean;
    }
  | { kind: 'follow'; process: number; most: number }
  | { kind: 'reload'; process: number }
  | { kind: 'poll'; process: number; viewer: number }
  | { kind: 'wait'; ms: number };

const process = fc.nat(1);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      firstUser: fc.nat(USERS),
      users: fc.oneof(fc.nat(5), fc.integer({ min: 90, max: USERS })),
      everyMs: fc.nat(80),
      isActive: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('follow' as const), process, most: fc.nat(400) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('poll' as const), process, viewer: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(1500), fc.nat(100_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reload' as const), process }) },
);

describe('A chain of answers', () => {
  it('gives every viewer all changes up to the cursor, which never goes back', async () => {
    const counters = new PresenceCounters();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const world = new World(counters);
        for (const taken of steps) await world.take(taken);
        await world.settle();
      }),
    );
    // The test is about sharing only if answers were shared.
    expect(counters.sharedAnswersReused).toBeGreaterThan(50);
    expect(counters.answers.own).toBeGreaterThan(50);
  });
});
