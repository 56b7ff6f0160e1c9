import { beforeAll, describe, expect, it } from '@jest/globals';
import { useFixture } from '#test/use-fixture';

class Started {
  readonly #events = ['started'];

  get events(): readonly string[] {
    return this.#events;
  }

  note(event: string): void {
    this.#events.push(event);
  }

  async stop(): Promise<void> {
    this.note('stopped');
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

  it('stops after the tests of its part', () => {
    expect(inner?.events).toEqual(['started', 'stopped']);
  });
});
