import { describe, expect, it } from '@jest/globals';
import { costOf, faultsAmong } from './cost.fixture.js';
import {
  filled,
  nested,
  nestings,
  repeats,
  type Surrounding,
  surroundings,
  whiteSpace,
} from './long-texts.fixture.js';
import { calls, furtherCalls, throughMarkdown } from './text-functions.fixture.js';
import { loadRule, type TextRule, textRules } from './text-rules.fixture.js';

/** The maximum length of all headers of a request. Most texts are shorter; bodies are measured with their endpoint. */
const LONGEST_TEXT = 16_384;
/** The maximum length of a message. */
const LONGEST_MARKDOWN = 10_000;
/** Texts below this CPU time are acceptable whatever their growth. */
const FLOOR_MS = 20;
const MARKDOWN_FLOOR_MS = 60;
const LONGEST_HOLD_MS = 250;

type TextFunction = (text: string) => unknown;

const rules = textRules();

/** Includes the cost of a rejected text. */
function call(run: TextFunction, text: string): void {
  try {
    run(text);
  } catch {
    // Unit tests check the results; only the cost matters here.
  }
}

interface LongText {
  readonly name: string;
  readonly of: (share: number) => string;
}

/** The texts for which a function costs too much, with the reason. */
function faultsOf(
  run: TextFunction,
  texts: readonly LongText[],
  floorMs = FLOOR_MS,
  ordinary?: LongText,
) {
  const runOf =
    ({ of }: LongText) =>
    (share: number) => {
      const text = of(share);
      return costOf(() => call(run, text));
    };
  const inputs = texts.map((text) => ({
    name: text.name,
    longestHoldMs: LONGEST_HOLD_MS,
    run: runOf(text),
    ...(ordinary === undefined ? {} : { ordinary: runOf(ordinary) }),
  }));
  return faultsAmong(inputs, floorMs);
}

const shown = (...texts: readonly string[]): string => JSON.stringify(texts.join('…'));

const plainTexts = repeats.flatMap((unit) =>
  [['', ''] as const, ['x', 'x'] as const, ['x', '\u00a0'] as const].map((around) => ({
    name: `${shown(unit)} in ${shown(...around)}`,
    of: (share: number) => filled(unit, LONGEST_TEXT * share, around),
  })),
);

const inMarkdown = (nesting: string, unit: string, around: Surrounding): LongText => ({
  name: `${shown(unit)} in ${shown(...around)} behind ${shown(nesting)}`,
  of: (share) => nested(nesting, unit, LONGEST_MARKDOWN * share, around),
});

/** Renders to one line break for two characters, which is the largest ordinary cost. */
const shortLines = inMarkdown('', 'a\n', ['', '']);
const code = ['```\nx', 'x'] as const;
const markdownTexts = [
  ...repeats.flatMap((unit) => surroundings.map((around) => inMarkdown('', unit, around))),
  ...repeats.map((unit) => inMarkdown('> '.repeat(15), unit, code)),
  ...repeats.map((unit) => inMarkdown('- '.repeat(9), unit, ['', ''])),
  ...whiteSpace.flatMap((unit) => nestings.map((nesting) => inMarkdown(nesting, unit, code))),
];

function callOf(
  { key, parameters }: TextRule,
  rule: TextFunction & ((...all: unknown[]) => unknown),
) {
  const own = calls[key];
  if (own !== undefined) return (text: string) => own(rule, text);
  return (text: string) => rule(...parameters.map((kind) => (kind === 'text' ? text : 0)));
}

describe('The cost of a rule with a string parameter', () => {
  it('is measured for every rule; rules with other parameters have a call in text-functions.fixture.ts', () => {
    const missing = rules.filter(
      ({ key, parameters }) => parameters.includes('other') && !Object.hasOwn(calls, key),
    );
    expect(missing.map(({ key }) => key)).toEqual([]);
    const keys = new Set(rules.map(({ key }) => key));
    expect(Object.keys(calls).filter((key) => !keys.has(key))).toEqual([]);
  });

  it.each(rules.map((rule) => [rule.key, rule] as const))('%s', async (key, rule) => {
    expect(await faultsOf(callOf(rule, await loadRule(key)), plainTexts)).toEqual([]);
  });
});

describe('The cost of a rule that takes text in an object', () => {
  it.each(furtherCalls)('%s', async (key, run) => {
    const rule = await loadRule(key);
    expect(await faultsOf((text) => run(rule, text), plainTexts)).toEqual([]);
  });
});

describe('The cost of Markdown', () => {
  it('does not grow faster than the message', async () => {
    expect(await faultsOf(throughMarkdown, markdownTexts, MARKDOWN_FLOOR_MS, shortLines)).toEqual(
      [],
    );
  });
});
