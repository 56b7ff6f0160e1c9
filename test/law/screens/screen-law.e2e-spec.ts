import { beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { useSystem } from '#test/use-system';
import { commands } from './screen-commands.fixture.js';
import { ScreenHistory, succeeded, type Theme } from './screen-history.fixture.js';
import { reports } from './screen-reports.fixture.js';
import { FLUSH_MS } from './screen-rest.fixture.js';

/** The histories of each theme. */
const HISTORIES = isLongRun ? 20 : 1;
const AT_ONCE = 12;
const LONG_MS = isLongRun ? 3_600_000 : 600_000;

const system = useSystem({
  environment: {
    // This test is about screens, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
    PRESENCE_FLUSH_SECONDS: String(FLUSH_MS / 1000),
    PUSH_DEADLINE_MS: '2000',
  },
});

beforeAll(async () => {
  startAll();
}, LONG_MS);

const messages = ['sending', 'reading', 'deleting'] as const;

const themes: Readonly<Record<string, Theme>> = {
  'messages that are sent, read and deleted': { groups: messages },
  'mentions that edits add and remove': { groups: [...messages, 'editing'] },
  'moves between topics and channels': { groups: [...messages, 'moving'] },
  'channels that people join and leave': { groups: [...messages, 'subscribing'] },
  'muted channels and topics, and settings': { groups: [...messages, 'muting', 'settings'] },
  'changes at the same moment': {
    groups: ['sending', 'editing', 'moving', 'muting', 'settings', 'subscribing'],
    isCrowded: true,
  },
  'quiet hours, snoozes, delays and reminders': {
    groups: [...messages, 'quiet', 'presence', 'queues'],
  },
  'people who come and go': { groups: [...messages, 'presence', 'queues'] },
  'phones and keys that come and go': { groups: [...messages, 'devices', 'keys', 'accounts'] },
  'refusing providers': {
    groups: messages,
    faults: [
      'unavailable',
      'throttled',
      'neitherShownNorAnswered',
      'lostByProvider',
      'dead',
      'off',
    ],
  },
  'lost and late answers': {
    groups: messages,
    faults: ['late', 'lostAnswer', 'noAnswer', 'shownThenUnavailable', 'off'],
  },
};

/** The differences of each history at rest, by its title. */
const results = new Map<string, Promise<string[]>>();

/** Most of a history is waiting: histories run together, each in its own organisation. */
function startAll(): void {
  const limit = pLimit(AT_ONCE);
  for (const [title, report] of Object.entries(reports)) {
    results.set(
      title,
      limit(() => report(system)),
    );
  }
  for (const [index, [title, theme]] of Object.entries(themes).entries()) {
    const seeds = Array.from(
      { length: HISTORIES },
      (_, one) => chaosSeed * 1000 + index * 100 + one,
    );
    const histories = seeds.map((seed) =>
      limit(() => new ScreenHistory(system, theme, seed).run()),
    );
    results.set(
      title,
      Promise.all(histories).then((all) => all.flat()),
    );
  }
  // A test awaits each; until then Node would call a rejection unhandled.
  for (const result of results.values()) result.catch(() => undefined);
}

describe(`The screens of phones (--seed=${chaosSeed})`, () => {
  it.each(Object.keys(reports))(
    'show each message once: %s',
    async (title) => expect(await results.get(title)).toEqual([]),
    LONG_MS,
  );

  it.each(Object.keys(themes))(
    'follow the rule after random %s',
    async (title) => expect(await results.get(title)).toEqual([]),
    LONG_MS,
  );

  it(
    'follows histories with every command',
    async () => {
      await Promise.allSettled(results.values());
      const names = Object.values(commands).flatMap((group) => Object.keys(group));
      expect(names.filter((name) => !succeeded.has(name))).toEqual([]);
    },
    LONG_MS,
  );
});
