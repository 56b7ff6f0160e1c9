import { Injectable, Logger } from '@nestjs/common';
import { Sampler } from '#core';
import { Metrics } from '#telemetry';

/**
 * Reports what another program has sent and this one cannot read: of an unknown version, or damaged. The sender may be of a
 * later release, so that the message is dropped and the process goes on.
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

  /** `source` is of a small, fixed set. The content is not logged: a damaged message may hold anything. */
  dropped(source: string): void {
    this.#count.add({ source });
    const sampler = this.#samplers.get(source) ?? new Sampler();
    this.#samplers.set(source, sampler);
    const count = sampler.take();
    if (count === null) return;
    this.#logger.error(`Dropped from ${source}: ${count}, of no version that is known`);
  }
}
