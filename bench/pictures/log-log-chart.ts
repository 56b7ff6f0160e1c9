/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly color: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** One of the charts of a picture; both axes are logarithmic. */
export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

export interface Picture {
  readonly title: string;
  /** Under each of the panels. */
  readonly xLabel: string;
  readonly panels: readonly Panel[];
}

const PANEL = { width: 460, height: 330, left: 84, right: 36, top: 84, bottom: 56 };
const INK = '#1f2328';
const FAINT_INK = '#59636e';
const GRID = '#e4e8ec';
const LEGEND_LINE = 16;

/**
 * The picture as the text of an SVG file. It has a white ground of its own, so that it reads the same on a dark
 * page.
 */
export function drawPicture({ title, xLabel, panels }: Picture): string {
  const width = PANEL.width * panels.length;
  const drawn = panels.map((panel, index) =>
    [
      `<g transform="translate(${index * PANEL.width} 0)">`,
      ...drawPanel(panel, xLabel),
      '</g>',
    ].join('\n'),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" width="${width}" height="${PANEL.height}" role="img" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${PANEL.height - 1}" rx="8" fill="#ffffff" stroke="#d1d9e0"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

/** The powers of ten that enclose the values. */
export function decadesOf(values: readonly number[]): {
  readonly from: number;
  readonly to: number;
} {
  const from = Math.floor(Math.log10(Math.min(...values)));
  return { from, to: Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values)))) };
}

function drawPanel({ title, series }: Panel, xLabel: string): string[] {
  const points = series.flatMap((one) => one.points);
  const [left, right] = [PANEL.left, PANEL.width - PANEL.right];
  const [top, bottom] = [PANEL.top, PANEL.height - PANEL.bottom];
  const xs = axis(
    points.map(({ x }) => x),
    left,
    right,
  );
  const ys = axis(
    points.map(({ y }) => y),
    bottom,
    top,
  );
  return [
    text(left, 26, title, `fill="${INK}" font-size="14" font-weight="600"`),
    ...series.flatMap(({ label, color }, index) => {
      const y = 44 + index * LEGEND_LINE;
      return [
        `<path d="M${left} ${y}h18" stroke="${color}" stroke-width="2.5"/>`,
        text(left + 25, y + 4, label, `fill="${INK}"`),
      ];
    }),
    ...xs.ticks.flatMap(({ at, label }) => [
      `<path d="M${at} ${top}V${bottom}" stroke="${GRID}"/>`,
      text(at, bottom + 18, label, `fill="${FAINT_INK}" text-anchor="middle"`),
    ]),
    ...ys.ticks.flatMap(({ at, label }) => [
      `<path d="M${left} ${at}H${right}" stroke="${GRID}"/>`,
      text(left - 8, at + 4, label, `fill="${FAINT_INK}" text-anchor="end"`),
    ]),
    text((left + right) / 2, PANEL.height - 16, xLabel, `fill="${FAINT_INK}" text-anchor="middle"`),
    ...series.flatMap((one) => drawSeries(one, xs.place, ys.place)),
  ];
}

function drawSeries(
  { color, points }: Series,
  placeX: (value: number) => number,
  placeY: (value: number) => number,
): string[] {
  const places = points.map(({ x, y }) => [placeX(x), placeY(y)] as const);
  const line = places.map(([x, y]) => `${x},${y}`).join(' ');
  return [
    `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2.5" stroke-linejoin="round"/>`,
    ...places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${color}"/>`),
  ];
}

/** Places values between two coordinates by their logarithm, with a tick at each power of ten. */
function axis(values: readonly number[], start: number, end: number) {
  const { from, to } = decadesOf(values);
  const place = (value: number) =>
    Number((start + ((Math.log10(value) - from) / (to - from)) * (end - start)).toFixed(1));
  const exponents = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const ticks = exponents.map((exponent) => {
    const value = 10 ** exponent;
    return { at: place(value), label: value.toLocaleString('en') };
  });
  return { place, ticks };
}

const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
