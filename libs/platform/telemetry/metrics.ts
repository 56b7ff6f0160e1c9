import { Injectable, Logger } from '@nestjs/common';
import {
  defectCounts,
  type Distribution,
  errorText,
  storeCallSeconds,
  taskFailureCounts,
  VERSION,
  withinDeadline,
} from '#platform/core';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The default scrape timeout of Prometheus is ten seconds. */
const READ_TIMEOUT_MS = 5000;

/** Values of labels. Few values and no personal data or secrets: each combination is kept for ever. */
type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** A counter. */
interface CountMetric<Label extends string> {
  add(labels: Labels<Label>, count?: number): void;
}

/** A distribution of durations. */
interface DurationMetric<Label extends string> {
  observe(labels: Labels<Label>, seconds: number): void;
}

/** One value of a gauge. */
export interface Sample<Label extends string> {
  readonly labels: Labels<Label>;
  readonly value: number;
}

interface Description<Label extends string> {
  /** Ends with the unit, as Prometheus recommends: `…_total`, `…_seconds`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels: readonly Label[];
}

/** The metrics of one program. A duplicate name throws at start. */
@Injectable()
export class Metrics {
  readonly #logger = new Logger(Metrics.name);
  readonly #registry = new Registry();
  readonly #distributions = new Map<string, { help: string; lines: () => string[] }>();
  readonly #samplers: (() => void)[] = [];
  #collectsDefaults = false;

  constructor() {
    this.tally(
      {
        name: 'carillon_defects_total',
        help: 'Failures, other than outages of stores, that callers tolerated; the log has them.',
        labels: ['place'],
      },
      () => [...defectCounts()].map(([place, value]) => ({ labels: { place }, value })),
    );
    this.tally(
      {
        name: 'carillon_task_failures_total',
        help: 'Failed runs of periodic tasks, by their text in the log.',
        labels: ['task'],
      },
      () => [...taskFailureCounts()].map(([task, value]) => ({ labels: { task }, value })),
    );
    this.gauge(
      {
        name: 'carillon_build_info',
        help: 'Always 1; the labels have the versions of Carillon and Node.',
        labels: ['version', 'node'],
      },
      () => [{ labels: { version: VERSION, node: process.versions.node }, value: 1 }],
    );
    const calls = 'carillon_store_call_seconds';
    this.#publish(calls, 'Answered calls to a store.', () =>
      Object.entries(storeCallSeconds).flatMap(([store, seconds]) =>
        seconds.lines(calls, `store="${store}"`),
      ),
    );
  }

  /** The media type of `read`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  counter<Label extends string>(description: Description<Label>): CountMetric<Label> {
    const counter = new Counter({ ...this.#settings(description), registers: [this.#registry] });
    return { add: (labels, count = 1) => counter.inc(labels, count) };
  }

  /** `bucketSeconds` are the upper bounds of the buckets in ascending order. */
  histogram<Label extends string>(
    description: Description<Label> & { readonly bucketSeconds: readonly number[] },
  ): DurationMetric<Label> {
    const histogram = new Histogram({
      ...this.#settings(description),
      buckets: [...description.bucketSeconds],
      registers: [this.#registry],
    });
    return { observe: (labels, seconds) => histogram.observe(labels, seconds) };
  }

  /**
   * A gauge that is read at each scrape. When `read` fails or takes too long, the metric is omitted, so that an outage of
   * one store does not hide other metrics.
   */
  gauge<Label extends string>(
    description: Description<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void {
    const logger = this.#logger;
    const gauge = new Gauge({
      ...this.#settings(description),
      registers: [],
      async collect() {
        this.reset();
        // Without labels a reset leaves a zero, which was not measured.
        if (description.labels.length === 0) this.remove();
        try {
          const reading = Promise.resolve(read());
          const samples = await withinDeadline(READ_TIMEOUT_MS, reading, () => []);
          for (const { labels, value } of samples) this.set(labels, value);
        } catch (error) {
          logger.debug(`${description.name} is left out: ${errorText(error)}`);
        }
      },
    });
    this.#registry.registerMetric(gauge);
  }

  /** A counter whose values are read at each scrape. */
  tally<Label extends string>(
    description: Description<Label>,
    read: () => readonly Sample<Label>[],
  ): void {
    const counter = new Counter({
      ...this.#settings(description),
      registers: [],
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.inc(labels, value);
      },
    });
    this.#registry.registerMetric(counter);
  }

  /** Calls `sample` at the beginning of each scrape, before any metric is read. */
  onScrape(sample: () => void): void {
    this.#samplers.push(sample);
  }

  /** Publishes a Distribution. */
  distribution(
    { name, help }: Omit<Description<never>, 'labels'>,
    distribution: Distribution,
  ): void {
    this.#publish(name, help, () => distribution.lines(name));
  }

  #publish(name: string, help: string, lines: () => string[]): void {
    if (this.#distributions.has(name) || this.#registry.getSingleMetric(name)) {
      throw new Error(`There is a metric ${name} already`);
    }
    this.#distributions.set(name, { help, lines });
  }

  /** All metrics in the text format of Prometheus. An outage of a store does not reject. */
  async read(): Promise<string> {
    for (const sample of this.#samplers) sample();
    // The metrics of the process have a cost: they start with the first scrape.
    if (!this.#collectsDefaults) {
      this.#collectsDefaults = true;
      collectDefaultMetrics({ register: this.#registry });
    }
    return `${await this.#registry.metrics()}${this.#distributionsText()}`;
  }

  #distributionsText(): string {
    return [...this.#distributions]
      .flatMap(([name, { help, lines }]) => [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...lines(),
      ])
      .map((line) => `${line}\n`)
      .join('');
  }

  #settings<Label extends string>({ name, help, labels }: Description<Label>) {
    return { name, help, labelNames: [...labels] };
  }
}
