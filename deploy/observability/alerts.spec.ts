import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'deploy/observability';
const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What the pattern's group finds, each once, in ascending order. */
const allIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, found]) => found ?? ''))].toSorted();

const alerts = allIn(textOf(`${FOLDER}/alerts.yml`), /- alert: (\w+)/g);

/** The cases of all alerts, one after the other, without what they are a case of. */
const cases = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.test.yml'))
  .map((file) => textOf(`${FOLDER}/${file}`))
  .join('');

describe('the alerts', () => {
  it('each have a case that says when it fires, and with which words', () => {
    const firing = /alertname: (\w+)\s+eval_time: \w+\s+exp_alerts:\s+- exp_labels:[^]*?summary:/g;
    expect(allIn(cases, firing)).toEqual(alerts);
  });

  it('each have a case in which it is silent', () => {
    expect(allIn(cases, /alertname: (\w+), eval_time: \w+, exp_alerts: \[\]/g)).toEqual(alerts);
  });

  it.each([
    ['docs/observability.md', 'why it is there'],
    ['docs/operations.md', 'what to do'],
  ])('each have a line in %s, which says %s', (page) => {
    expect(allIn(textOf(page), /^\| `([A-Z]\w+)` /gm)).toEqual(alerts);
  });

  it('ask for no metric of push that docs/observability.md does not have', () => {
    const asked = allIn(textOf(`${FOLDER}/alerts.yml`), /(carillon_push_\w+?)(?:_bucket)?\b/g);
    const documented = allIn(textOf('docs/observability.md'), /^\| `(carillon_push_\w+)`/gm);
    expect(asked.filter((metric) => !documented.includes(metric))).toEqual([]);
  });
});
