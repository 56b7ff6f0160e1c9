import type { SoakSample } from './soak-verdict.rules.js';

const WIDTH = 900;
const HEIGHT = 230;
const LEFT = 70;
const RIGHT = 190;
const TOP = 34;
const BOTTOM = 28;
const COLOURS = ['#2463eb', '#d9480f', '#2b8a3e', '#9c36b5', '#c92a2a', '#0b7285', '#5c3d00'];
const TICKS = 4;

/** A line of a chart. */
interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

/** Draws memory, tables, lag and throughput over time, as an SVG picture. uPlot draws in browsers only. */
export function soakPicture(samples: readonly SoakSample[], title: string): string {
  const seconds = samples.map(({ at }) => at);
  const mebi = (bytes: number) => bytes / 1024 / 1024;
  const programs = Object.keys(samples[0]?.memory ?? {});
  const tables = Object.entries(samples.at(-1)?.tables ?? {})
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, COLOURS.length)
    .map(([name]) => name);
  const charts: [string, Series[]][] = [
    [
      'Memory after a garbage collection, MiB',
      seriesOf(programs, (s, name) => mebi(s.memory[name] ?? 0)),
    ],
    ['Tables with indexes, MiB', seriesOf(tables, (s, name) => mebi(s.tables[name] ?? 0))],
    ['Time of a request, ms', [line('p50', ({ p50 }) => p50), line('p99', ({ p99 }) => p99)]],
    [
      'Deliveries that wait',
      [line('pending', ({ pending }) => pending), line('oldest, s', (s) => s.oldestSeconds)],
    ],
    [
      'A second',
      [
        line('requests', ({ answered }) => answered),
        line('notifications', ({ shown }) => shown),
        line('events', ({ events }) => events),
      ],
    ],
  ];
  const drawn = charts.map(([name, series], index) =>
    chart(name, series, seconds, 40 + index * HEIGHT),
  );
  const height = 40 + charts.length * HEIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT}" y="24" font-size="16">${title}</text>
${drawn.join('\n')}
</svg>
`;

  function line(name: string, value: (sample: SoakSample) => number): Series {
    return { name, values: samples.map(value) };
  }
  function seriesOf(names: readonly string[], value: (sample: SoakSample, name: string) => number) {
    return names.map((name) => line(name, (sample) => value(sample, name)));
  }
}

function chart(name: string, series: readonly Series[], seconds: readonly number[], y: number) {
  const end = Math.max(1, ...seconds);
  const most = Math.max(1, ...series.flatMap(({ values }) => values)) * 1.05;
  const xOf = (at: number) => LEFT + (at / end) * (WIDTH - LEFT - RIGHT);
  const yOf = (value: number) => y + HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const grid = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const value = (most * tick) / TICKS;
    const at = (end * tick) / TICKS;
    return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${yOf(value).toFixed(1)}" y2="${yOf(value).toFixed(1)}" stroke="#ddd"/>
<text x="${LEFT - 6}" y="${(yOf(value) + 4).toFixed(1)}" text-anchor="end" fill="#555">${short(value)}</text>
<text x="${xOf(at).toFixed(1)}" y="${y + HEIGHT - 10}" text-anchor="middle" fill="#555">${(at / 60).toFixed(0)} min</text>`;
  });
  const lines = series.map(({ name: label, values }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const points = values.map(
      (value, turn) => `${xOf(seconds[turn] ?? 0).toFixed(1)},${yOf(value).toFixed(1)}`,
    );
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.join(' ')}"/>
<text x="${WIDTH - RIGHT + 8}" y="${y + TOP + 4 + index * 16}" fill="${colour}">${label}: ${short(values.at(-1) ?? 0)}</text>`;
  });
  return `<text x="${LEFT}" y="${y + 20}" font-weight="bold">${name}</text>\n${[...grid, ...lines].join('\n')}`;
}

const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2);
