import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import pLimit from 'p-limit';
import { type Platform, platforms } from '#contracts';
import { CLOCK, type Clock } from '#core';
import type { PushTransport } from '../transport/push-transport.js';
import { TransportGate } from './transport-gate.js';

/** What this process has for one platform. */
export interface Lane {
  readonly transport: PushTransport;
  readonly gate: TransportGate;
  /** Runs a task as soon as fewer than the lane's width are running. */
  readonly run: <Result>(task: () => Promise<Result>) => Promise<Result>;
}

/** The transports of a process, for the platforms that it serves. */
export type PushTransports = Readonly<Partial<Record<Platform, PushTransport>>>;

/** DI token of the PushTransports. */
export const PUSH_TRANSPORTS = Symbol('PushTransports');
/** DI token: how many pushes of a platform are under way at the same time at most. */
export const LANE_WIDTH = Symbol('LaneWidth');

/** The lanes of this process, one a platform. */
@Injectable()
export class Lanes implements OnModuleDestroy, OnApplicationShutdown {
  readonly #lanes = new Map<Platform, Lane>();
  #isClosing = false;

  constructor(
    @Inject(PUSH_TRANSPORTS) transports: PushTransports,
    @Inject(LANE_WIDTH) width: number,
    @Inject(CLOCK) clock: Clock,
  ) {
    for (const platform of platforms) {
      const transport = transports[platform];
      if (transport === undefined) continue;
      const gate = new TransportGate(platform, clock);
      this.#lanes.set(platform, { transport, gate, run: pLimit(width) });
    }
  }

  /** Throws for a platform that this process does not serve. */
  of(platform: Platform): Lane {
    const lane = this.#lanes.get(platform);
    if (lane === undefined) throw new Error(`No transport for ${platform} in this process`);
    return lane;
  }

  all(): ReadonlyMap<Platform, Lane> {
    return this.#lanes;
  }

  /** Whether the process goes down: what has not been sent by now is left to another one. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  onModuleDestroy(): void {
    this.#isClosing = true;
  }

  /** After the workers have closed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ transport }) => transport.close()));
  }
}
