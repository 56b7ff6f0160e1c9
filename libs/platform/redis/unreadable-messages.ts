import { Injectable, Logger } from '@nestjs/common';
import { Sampler } from '#platform/core';
import { Metrics } from '#platform/telemetry';

/**
 * Counts and logs messages and jobs that cannot be parsed. The sender may have a newer release, so the message is dropped
 * and the process continues.
 */
@Injectable()
export class UnreadableMessages {
  readonly #logger = new Logger(UnreadableMessages.name);
  readonly #count;
  readonly #samplers = new Map<string, Sampler>();

  constructor(metrics: Metrics) {
    this.#count = metrics.counter({
      name: 'carillon_unreadable_total',
      help: 'Messages and jobs of other programs that were dropped because they cannot be read.',
      labels: ['source'],
    });
  }

  /** `source` is one of few fixed names. The content is not logged, because it may contain secrets. */
  recordDropped(source: string): void {
    this.#count.add({ source });
    const sampler = this.#samplers.get(source) ?? new Sampler();
    this.#samplers.set(source, sampler);
    const count = sampler.take();
    if (count === null) return;
    this.#logger.error(
      `Dropped ${count} unreadable messages of ${source} (of another version, or malformed)`,
    );
  }
}
