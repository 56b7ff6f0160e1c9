import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dashboards } from './dashboards.js';
import { dashboardFile, grafanaJson } from './grafana-json.js';

const documented = readFileSync('docs/observability.md', 'utf8');

/** Metrics of prom-client, which docs/observability.md lists by their prefix. */
const OF_NODE = /^(?:process|nodejs)_/;

const CONFIG = 'deploy/observability/prometheus.yml';

describe('The dashboards', () => {
  const expressions = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ queries }) => queries.map(([expr]) => expr)),
  );

  // When this fails: `npm run docs`.
  it.each(dashboards.map((dashboard) => [dashboard.name, dashboard] as const))(
    'have a current file: %s',
    (_name, dashboard) => {
      expect(readFileSync(dashboardFile(dashboard), 'utf8')).toBe(grafanaJson(dashboard));
    },
  );

  it('show metrics that docs/observability.md has, with the selected jobs', () => {
    const selections = expressions.flatMap((expr) => [
      ...expr.matchAll(/\b((?:carillon|process|nodejs)_\w+?)(_bucket)?\{([^}]*)\}/g),
    ]);
    expect(selections.length).toBeGreaterThanOrEqual(expressions.length);
    const unknown = selections
      .map(([, metric = '']) => metric)
      .filter((metric) => !OF_NODE.test(metric) && !documented.includes(`\`${metric}\``));
    expect(unknown).toEqual([]);
    expect(selections.filter(([, , , labels]) => !labels?.startsWith('job=~"$job"'))).toEqual([]);
  });

  it('have panels with unique titles', () => {
    for (const { panels } of dashboards) {
      const titles = panels.map(({ title }) => title);
      expect(titles).toEqual([...new Set(titles)]);
    }
  });

  const parsing = spawnSync('promtool', ['--version']).error === undefined ? it : it.skip;

  parsing('are scraped by a configuration that Prometheus accepts', () => {
    const { stderr, status } = spawnSync('promtool', ['check', 'config', CONFIG], {
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  parsing('have queries that Prometheus can parse, where promtool is installed', () => {
    const rules = expressions.map((expr, index) => {
      const filled = expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'carillon-.+');
      return { record: `query:${index}`, expr: filled };
    });
    const folder = mkdtempSync(path.join(tmpdir(), 'carillon-queries-'));
    const file = path.join(folder, 'rules.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    const { stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout).toContain(`${rules.length} rules found`);
  });
});
