import { Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { defectCounts, errorText, withinDeadline } from '#core';
import type { Distribution } from './distribution.js';

/** Prometheus itself waits for ten seconds as a rule, and then has nothing at all. */
const MOST_LOOK_MS = 5000;

/** Values of labels. Few, and never a secret, an address or a person: each combination is kept for ever. */
export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** Something that is counted and only rises. */
export interface CountMetric<Label extends string> {
  add(labels: Labels<Label>, count?: number): void;
}

/** A distribution of durations. */
export interface DurationMetric<Label extends string> {
  observe(labels: Labels<Label>, seconds: number): void;
}

/** One value of a gauge. */
export interface Sample<Label extends string> {
  readonly labels: Labels<Label>;
  readonly value: number;
}

interface Description<Label extends string> {
  /** With the unit at its end, as Prometheus has it: `…_total`, `…_seconds`. */
  readonly name: string;
  /** One sentence for who reads `/metrics`. */
  readonly help: string;
  readonly labels: readonly Label[];
}

/** The metrics of one program. A name that is taken throws, at start. */
@Injectable()
export class Metrics {
  readonly #logger = new Logger(Metrics.name);
  readonly #registry = new Registry();
  readonly #distributions = new Map<string, { help: string; distribution: Distribution }>();
  #watchesProcess = false;

  constructor() {
    this.tally(
      {
        name: 'carillon_defects_total',
        help: 'Failures, other than a store being away, that callers were spared; the log has them.',
        labels: ['place'],
      },
      () => [...defectCounts()].map(([place, value]) => ({ labels: { place }, value })),
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

  /** `bucketSeconds` are the upper bounds of the distribution's steps, ascending. */
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
   * A state that is looked up whenever somebody reads. When the look-up fails or hangs the metric is left
   * out, so that an outage of one store hides nothing else.
   */
  gauge<Label extends string>(
    description: Description<Label>,
    look: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void {
    const logger = this.#logger;
    const gauge = new Gauge({
      ...this.#settings(description),
      registers: [],
      async collect() {
        this.reset();
        // Without labels a reset leaves a zero behind, which nobody has measured.
        if (description.labels.length === 0) this.remove();
        try {
          const looking = Promise.resolve(look());
          const samples = await withinDeadline(MOST_LOOK_MS, looking, () => []);
          for (const { labels, value } of samples) this.set(labels, value);
        } catch (error) {
          logger.debug(`${description.name} is left out: ${errorText(error)}`);
        }
      },
    });
    this.#registry.registerMetric(gauge);
  }

  /** Something that is counted elsewhere and only rises: looked up whenever somebody reads. */
  tally<Label extends string>(
    description: Description<Label>,
    look: () => readonly Sample<Label>[],
  ): void {
    const counter = new Counter({
      ...this.#settings(description),
      registers: [],
      collect() {
        this.reset();
        for (const { labels, value } of look()) this.inc(labels, value);
      },
    });
    this.#registry.registerMetric(counter);
  }

  /** Tells a distribution that others observe. It has no labels: those would have to be looked up. */
  distribution(
    { name, help }: Omit<Description<never>, 'labels'>,
    distribution: Distribution,
  ): void {
    if (this.#distributions.has(name) || this.#registry.getSingleMetric(name)) {
      throw new Error(`There is a metric ${name} already`);
    }
    this.#distributions.set(name, { help, distribution });
  }

  /** Everything, in Prometheus' text format. Never rejects because of a store that is away. */
  async read(): Promise<string> {
    // What the process itself costs is only watched where somebody asks.
    if (!this.#watchesProcess) {
      this.#watchesProcess = true;
      collectDefaultMetrics({ register: this.#registry });
    }
    return `${await this.#registry.metrics()}${this.#distributionsText()}`;
  }

  #distributionsText(): string {
    return [...this.#distributions]
      .flatMap(([name, { help, distribution }]) => [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...distribution.lines(name),
      ])
      .map((line) => `${line}\n`)
      .join('');
  }

  #settings<Label extends string>({ name, help, labels }: Description<Label>) {
    return { name, help, labelNames: [...labels] };
  }
}
