import { beforeAll, describe, expect, it } from '@jest/globals';
import { useFixture } from '#test/use-fixture';

/** The names of what has stopped, in order. */
const stopped: string[] = [];

class Started {
  name = '';
  readonly #events = ['started'];

  get events(): readonly string[] {
    return this.#events;
  }

  note(event: string): void {
    this.#events.push(event);
  }

  async stop(): Promise<void> {
    this.note('stopped');
    stopped.push(this.name);
  }
}

const sut = useFixture(async () => new Started());

function messageOf(work: () => void): string {
  try {
    work();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe(useFixture.name, () => {
  const early = messageOf(() => sut.note('too early'));
  let inner: Started | undefined;

  beforeAll(() => sut.note('prepared'));

  it('starts before later hooks, and has the members of what was started', () => {
    sut.note('used');
    expect(sut.events).toEqual(['started', 'prepared', 'used']);
  });

  it('refuses to be used before hooks and tests', () => {
    expect(early).toBe('Use "note" in a hook or a test.');
  });

  describe('in a part of a file', () => {
    const part = useFixture(async () => (inner = new Started()));

    it('is another one', () => {
      expect(part.events).toEqual(['started']);
    });
  });

  describe('that others use', () => {
    const lower = useFixture(async () => new Started());
    const upper = useFixture(async () => {
      lower.name = 'lower';
      return new Started();
    });

    it('has the members that were set', () => {
      upper.name = 'upper';
      expect([lower.name, upper.name]).toEqual(['lower', 'upper']);
    });
  });

  it('stops after those that were started later', () => {
    expect(stopped.slice(-2)).toEqual(['upper', 'lower']);
  });

  it('stops after the tests of its part', () => {
    expect(inner?.events).toEqual(['started', 'stopped']);
  });
});
