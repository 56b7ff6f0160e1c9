import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeMachine } from '../machine.js';
import { drawPicture } from './log-log-chart.js';

/** What an organisation of one size costs. */
export interface CurvePoint {
  readonly users: number;
  readonly cpu_us_per_poll: { readonly ours: number; readonly redis_reading: number };
  readonly bytes_per_answer: { readonly ours: number; readonly redis_reading: number };
}

const OURS = '#0969da';
const READING = '#bc4c00';

/** Writes the figures to bench/results and draws them into the docs; resolves with both files. */
export async function writeCurves(root: string, points: readonly CurvePoint[]): Promise<string[]> {
  const figures = path.join('bench', 'results', 'presence-curves.json');
  const picture = path.join('docs', 'images', 'presence-curves.svg');
  const text = JSON.stringify({ machine: describeMachine(new Date()), points }, null, 2);
  for (const [file, content] of [
    [figures, `${text}\n`],
    [picture, drawCurves(points)],
  ] as const) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), content);
  }
  return [figures, picture];
}

export function drawCurves(points: readonly CurvePoint[]): string {
  const seriesOf = (
    of: (point: CurvePoint) => CurvePoint['cpu_us_per_poll'],
    labels: { readonly ours: string; readonly reading: string },
  ) => [
    {
      label: labels.ours,
      color: OURS,
      points: points.map((point) => ({ x: point.users, y: of(point).ours })),
    },
    {
      label: labels.reading,
      color: READING,
      points: points.map((point) => ({ x: point.users, y: of(point).redis_reading })),
    },
  ];
  return drawPicture({
    title: 'What a poll costs in organisations of different sizes',
    xLabel: 'users online in the organisation',
    panels: [
      {
        title: 'CPU per poll, in microseconds',
        series: seriesOf(({ cpu_us_per_poll: cpu }) => cpu, {
          ours: 'Carillon: gateway, presence and Redis',
          reading: 'the same, but Redis is read on each poll',
        }),
      },
      {
        title: 'bytes per answer',
        series: seriesOf(({ bytes_per_answer: bytes }) => bytes, {
          ours: 'Carillon: as sent',
          reading: 'the same entries as plain JSON',
        }),
      },
    ],
  });
}
