import uPlot from './uPlot.esm.js';
import { number } from './format.js';

const HEIGHT = 140;

/** The lines of a chart: the name of the outcome, its label in the legend, its colour. */
const throughput = [
  ['accepted', 'accepted', '--soft'],
  ['delivered', 'delivered', '--good'],
];
const failures = [
  ['retried', 'retried', '--odd'],
  ['held', 'held', '--soft'],
  ['dead_token', 'dead token', '--accent'],
  ['rejected', 'refused', '--bad'],
  ['expired', 'expired', '--late'],
];

const style = getComputedStyle(document.documentElement);
const colour = (token) => style.getPropertyValue(token).trim();

const countText = (_plot, count) => (count === null ? '–' : number(Math.round(count * 10) / 10));

const charts = [];

/** A chart of some outcomes of a platform over time. */
class OutcomeChart {
  #container;
  #lines;
  #isPerSecond;
  #plot;
  #data;

  constructor(container, lines, { isPerSecond, isOfOthers }) {
    this.#container = container;
    this.#lines = isOfOthers ? lines.map(([name, ...look]) => [`others_${name}`, ...look]) : lines;
    this.#isPerSecond = isPerSecond;
    charts.push(this);
  }

  /** Shows a history without its last step, which is still being counted. */
  show({ times, series }) {
    const stepSeconds = times.length > 1 ? (times[1] - times[0]) / 1000 : 1;
    const scale = this.#isPerSecond ? 1 / stepSeconds : 1;
    const zeros = times.map(() => 0);
    const columns = this.#lines.map(([name]) =>
      (series[name] ?? zeros).map((count) => count * scale),
    );
    this.#data = [times.map((at) => at / 1000), ...columns].map((column) => column.slice(0, -1));
    this.#container.hidden = this.isEmpty;
    if (this.isEmpty) return;
    if (this.#plot === undefined) return this.draw();
    this.#plot.setData(this.#data);
    this.fit();
  }

  /** Whether all counts are 0. */
  get isEmpty() {
    const [, ...columns] = this.#data ?? [];
    return columns.every((column) => column.every((count) => count === 0));
  }

  /** Draws the chart again, in the current colours. */
  draw() {
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#options(), this.#data, this.#container);
  }

  fit() {
    const width = this.#container.clientWidth;
    if (width > 0 && this.#plot?.width !== width) this.#plot?.setSize({ width, height: HEIGHT });
  }

  #options() {
    const axis = {
      stroke: colour('--soft'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
    };
    const lines = this.#lines.map(([, label, token]) => ({
      label,
      stroke: colour(token),
      width: 1.5,
      points: { show: false },
      value: countText,
    }));
    return {
      width: this.#container.clientWidth,
      height: HEIGHT,
      cursor: { points: { size: 6 }, sync: { key: 'time' } },
      scales: { y: { range: (_plot, _least, most) => [0, Math.max(most * 1.1, 1)] } },
      axes: [
        { ...axis, size: 26, values: '{HH}:{mm}' },
        { ...axis, size: 48, values: (_plot, splits) => splits.map(number) },
      ],
      series: [{ label: 'at', value: '{HH}:{mm}:{ss}' }, ...lines],
    };
  }
}

/** Of this server, or of the other servers that send through it. */
export const throughputChart = (container, isOfOthers) =>
  new OutcomeChart(container, throughput, { isPerSecond: true, isOfOthers });

/** The same for what was not delivered. */
export const failureChart = (container, isOfOthers) =>
  new OutcomeChart(container, failures, { isPerSecond: false, isOfOthers });

new ResizeObserver(() => {
  for (const chart of charts) chart.fit();
}).observe(document.body);

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const chart of charts) if (!chart.isEmpty) chart.draw();
});
