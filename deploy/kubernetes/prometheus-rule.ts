/** The place of the alert rules for the Prometheus Operator, from the root of the project. */
export const PROMETHEUS_RULE_FILE = 'deploy/kubernetes/components/monitoring/prometheus-rule.yaml';

const HEADER = `# Written by \`npm run docs\` from deploy/observability/alerts.yml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: carillon
spec:
`;

/** The text of that file: the rules of `alerts.yml` as a resource of Kubernetes. */
export function prometheusRule(alerts: string): string {
  const groups = alerts.slice(alerts.indexOf('groups:'));
  return HEADER + groups.replaceAll(/^(?=.)/gm, '  ');
}
