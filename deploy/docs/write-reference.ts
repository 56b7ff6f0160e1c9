/**
 * `npm run docs`: writes the generated sections of the reference pages in docs/ from the declarations in the code, and
 * the alert rules for Kubernetes and the dashboards for Grafana.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PROMETHEUS_RULE_FILE, prometheusRule } from '../kubernetes/prometheus-rule.js';
import { dashboards } from '../observability/dashboards.js';
import { dashboardFile, grafanaJson } from '../observability/grafana-json.js';
import { withSections } from './generated-sections.js';
import { referencePages, referenceSections } from './reference-sections.js';

const files = referencePages.map(
  (page) => [page, withSections(readFileSync(page, 'utf8'), referenceSections)] as const,
);
const alerts = readFileSync('deploy/observability/alerts.yml', 'utf8');

const generated = [
  ...files,
  [PROMETHEUS_RULE_FILE, prometheusRule(alerts)] as const,
  ...dashboards.map((one) => [dashboardFile(one), grafanaJson(one)] as const),
];
for (const [file, after] of generated) {
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === after;
  if (!isSame) writeFileSync(file, after);
  process.stdout.write(`${isSame ? 'unchanged' : 'written  '}  ${file}\n`);
}
