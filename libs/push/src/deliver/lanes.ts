import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type Platform, platforms } from '#contracts';
import type { PushTransport } from '#push-transport';
import { LaneRoom } from './lane-room.js';

/** What this process has for one platform. */
export interface PlatformLanes {
  readonly transport: PushTransport;
  readonly room: LaneRoom;
}

/** The transports of a process, for the platforms that it serves. */
export type PushTransports = Readonly<Partial<Record<Platform, PushTransport>>>;

/** DI token of the PushTransports. */
export const PUSH_TRANSPORTS = Symbol('PushTransports');
/** DI token: how many pushes of a platform are under way at the same time at most. */
export const LANE_WIDTH = Symbol('LaneWidth');

/** The ways to the providers of this process, one a platform. */
@Injectable()
export class Lanes implements OnModuleDestroy, OnApplicationShutdown {
  readonly #lanes = new Map<Platform, PlatformLanes>();
  #isClosing = false;

  constructor(
    @Inject(PUSH_TRANSPORTS) transports: PushTransports,
    @Inject(LANE_WIDTH) width: number,
  ) {
    for (const platform of platforms) {
      const transport = transports[platform];
      if (transport !== undefined)
        this.#lanes.set(platform, { transport, room: new LaneRoom(width) });
    }
  }

  /** Throws for a platform that this process does not serve. */
  of(platform: Platform): PlatformLanes {
    const lanes = this.#lanes.get(platform);
    if (lanes === undefined) throw new Error(`No transport for ${platform} in this process`);
    return lanes;
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
