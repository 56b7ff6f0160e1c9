import { describe, expect, it } from '@jest/globals';
import { decadesOf, drawPicture } from './log-log-chart.js';

const series = (points: readonly (readonly [x: number, y: number])[]) => ({
  label: 'ours & theirs',
  color: '#0969da',
  points: points.map(([x, y]) => ({ x, y })),
});

const pictureOf = (points: readonly (readonly [x: number, y: number])[]) =>
  drawPicture({
    title: 'how it scales',
    xLabel: 'users',
    panels: [{ title: 'cost', series: [series(points)] }],
  });

describe(decadesOf.name, () => {
  it.each([
    [[100, 50_000], 2, 5],
    [[0.5, 8], -1, 1],
    [[10, 100], 1, 2],
    [[10], 1, 2],
  ])('of %j are from 10^%d to 10^%d', (values, from, to) => {
    expect(decadesOf(values)).toEqual({ from, to });
  });
});

describe(drawPicture.name, () => {
  it('puts equal factors at equal distances', () => {
    const [line = ''] = /(?<=polyline points=")[^"]*/.exec(
      pictureOf([
        [1, 1],
        [10, 10],
        [100, 100],
      ]),
    ) ?? [''];
    const xs = line.split(' ').map((point) => Number(point.split(',')[0]));
    expect((xs[1] ?? 0) - (xs[0] ?? 0)).toBeCloseTo((xs[2] ?? 0) - (xs[1] ?? 0), 0);
  });

  it('labels the powers of ten and escapes what it is given', () => {
    const picture = pictureOf([
      [100, 3],
      [50_000, 40],
    ]);
    for (const label of ['100', '1,000', '10,000', '100,000', 'ours &amp; theirs']) {
      expect(picture).toContain(`>${label}<`);
    }
  });
});
