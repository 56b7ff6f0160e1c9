import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'deploy/observability';
const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The unique values of the first group of a pattern, in ascending order. */
const allIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, found]) => found ?? ''))].toSorted();

const rules = textOf(`${FOLDER}/alerts.yml`);
const alerts = allIn(rules, /- alert: (\w+)/g);

const caseFiles = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.test.yml'))
  .map((file) => `${FOLDER}/${file}`);

/** The content of the test files of all alerts. */
const cases = caseFiles.map(textOf).join('');

describe('the alerts', () => {
  it('have a case that fires, with the expected annotations', () => {
    const firing = /alertname: (\w+)\s+eval_time: \w+\s+exp_alerts:\s+- exp_labels:[^]*?summary:/g;
    expect(allIn(cases, firing)).toEqual(alerts);
  });

  it('have a case that does not fire', () => {
    expect(allIn(cases, /alertname: (\w+), eval_time: \w+, exp_alerts: \[\]/g)).toEqual(alerts);
  });

  it.each([
    ['docs/runbook.md', 'the condition and the action', /^### (Carillon\w+)\n\n_\S.+?\._\s/gms],
    ['deploy/observability/alerts.yml', 'a unique name', /- alert: (Carillon\w+)$/gm],
  ])('are each in %s with %s', (page, _what, pattern) => {
    expect(allIn(textOf(page), pattern)).toEqual(alerts);
  });

  const promtool = (...words: string[]) => spawnSync('promtool', words, { encoding: 'utf8' });
  const testing = promtool('--version').error === undefined ? it : it.skip;

  testing(
    'fire and stay silent as their cases say, where promtool is installed',
    () => {
      const { stderr, status } = promtool('test', 'rules', ...caseFiles);
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    },
    120_000,
  );

  it('link to their part of the runbook', () => {
    const links = allIn(rules, /runbook_url: https:\/\/[\w./]+\/runbook\.md#(\w+)$/gm);
    expect(links).toEqual(alerts.map((name) => name.toLowerCase()).toSorted());
  });

  it('select the jobs of Carillon in every metric', () => {
    const metrics = /\b(?:(?:carillon|nodejs|process|http|up)_\w+|up)(?=[{[ )])(\{[^}]*\})?/g;
    const expressions = rules.match(/^ +expr:[^]*?(?=^ +(?:for|labels):)/gm) ?? [];
    const selections = expressions.flatMap((expression) => expression.match(metrics) ?? []);
    expect(selections.length).toBeGreaterThanOrEqual(alerts.length);
    expect(selections.filter((text) => !/\{\s*job=~"carillon-\.\+"/.test(text))).toEqual([]);
  });

  it('use only metrics that docs/observability.md documents', () => {
    const asked = allIn(rules, /\b(carillon_\w+?)(?:_bucket|_count)?\b/g);
    const documented = allIn(textOf('docs/observability.md'), /^(?:\||-) `(carillon_\w+)`/gm);
    expect(asked.filter((metric) => !documented.includes(metric))).toEqual([]);
  });
});
