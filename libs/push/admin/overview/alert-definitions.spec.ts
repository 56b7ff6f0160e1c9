import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type AlertRule, alertRules } from './alert-definitions.js';

const yaml = readFileSync(
  new URL('../../../../deploy/observability/alerts.yml', import.meta.url),
  'utf8',
);

/** An expression without line breaks and without the job, which every expression of the file selects. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\{job=~"carillon-\.\+"(?:, )?/g, '{')
    .replaceAll('{}', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('( ', '(')
    .trim();

/** The rules of push in the file, by their names. */
const inFile = Object.fromEntries(
  yaml
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text): [string, AlertRule] => {
      const [, name = ''] = /^(\w+)/.exec(text) ?? [];
      const [, expr = ''] = /^ {8}expr: >?([^]*?)^ {8}(?:for|labels):/m.exec(text) ?? [];
      const [, holdsFor = null] = /^ {8}for: (\w+)$/m.exec(text) ?? [];
      const [, severity] = /severity: (page|ticket)/.exec(text) ?? [];
      if (severity !== 'page' && severity !== 'ticket') throw new Error(`${name} has no severity`);
      return [name, { severity, prometheus: { expr: oneLine(expr), for: holdsFor } }];
    })
    .filter(([name]) => name.startsWith('CarillonPush')),
);

describe('the alerts of Prometheus', () => {
  it('have the severities, thresholds and durations of the ops page', () => {
    const declared = Object.entries<AlertRule>(alertRules)
      .filter(([, { prometheus }]) => prometheus !== null)
      .map(([name, rule]) => [name, rule] as const);
    expect(inFile).toEqual(Object.fromEntries(declared));
  });
});
