/** A panel with a line for each query; `unit` is a unit of Grafana. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

export interface Dashboard {
  /** Also the name of the file. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The place of a dashboard, from the root of the project. */
export const dashboardFile = ({ name }: Dashboard): string =>
  `deploy/observability/dashboards/${name}.json`;

const COLUMNS = 24;
const WIDTH = 12;
const HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** A dashboard as Grafana's JSON. Its variables are the data source and the jobs. */
export function grafanaJson({ name, title, panels }: Dashboard): string {
  const perRow = COLUMNS / WIDTH;
  const dashboard = {
    uid: `carillon-${name}`,
    title,
    tags: ['carillon'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: VARIABLES },
    panels: panels.map((one, index) => ({
      id: index + 1,
      type: 'timeseries',
      title: one.title,
      datasource: DATASOURCE,
      gridPos: {
        x: (index % perRow) * WIDTH,
        y: Math.floor(index / perRow) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
      fieldConfig: { defaults: { unit: one.unit, min: 0 }, overrides: [] },
      options: { tooltip: { mode: 'multi', sort: 'desc' } },
      targets: one.queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCodePoint('A'.codePointAt(0)! + query),
        datasource: DATASOURCE,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const VARIABLES = [
  { name: 'datasource', type: 'datasource', label: 'Data source', query: 'prometheus' },
  {
    name: 'job',
    type: 'query',
    label: 'Job',
    datasource: DATASOURCE,
    query: 'label_values(carillon_build_info, job)',
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: 'carillon-.+',
    current: { text: 'All', value: '$__all' },
  },
];
