import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'deploy/observability';
const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The unique values of the first group of a pattern, in ascending order. */
const allIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, found]) => found ?? ''))].toSorted();

const alerts = allIn(textOf(`${FOLDER}/alerts.yml`), /- alert: (\w+)/g);

/** The content of the test files of all alerts. */
const cases = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.test.yml'))
  .map((file) => textOf(`${FOLDER}/${file}`))
  .join('');

describe('the alerts', () => {
  it('have a case that fires, with the expected annotations', () => {
    const firing = /alertname: (\w+)\s+eval_time: \w+\s+exp_alerts:\s+- exp_labels:[^]*?summary:/g;
    expect(allIn(cases, firing)).toEqual(alerts);
  });

  it('have a case that does not fire', () => {
    expect(allIn(cases, /alertname: (\w+), eval_time: \w+, exp_alerts: \[\]/g)).toEqual(alerts);
  });

  it.each([
    ['docs/observability.md', 'the reason of the alert'],
    ['docs/operations.md', 'the necessary action'],
  ])('each have a line in %s with %s', (page) => {
    expect(allIn(textOf(page), /^\| `([A-Z][a-z]\w+)` /gm)).toEqual(alerts);
  });

  it('use only push metrics that docs/observability.md documents', () => {
    const asked = allIn(textOf(`${FOLDER}/alerts.yml`), /(carillon_push_\w+?)(?:_bucket)?\b/g);
    const documented = allIn(textOf('docs/observability.md'), /^\| `(carillon_push_\w+)`/gm);
    expect(asked.filter((metric) => !documented.includes(metric))).toEqual([]);
  });
});
