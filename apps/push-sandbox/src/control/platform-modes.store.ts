import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { Platform } from '#push/jobs';
import type { PlatformMode } from '../provider/platform.js';

/** The current mode of each provider. */
@Injectable()
export class PlatformModesStore {
  readonly #modes: Record<Platform, PlatformMode> = { apns: { mode: 'ok' }, fcm: { mode: 'ok' } };
  readonly #changes = new Subject<Readonly<Record<Platform, PlatformMode>>>();

  /** Emits all modes after each change. */
  readonly changes = this.#changes.asObservable();

  all(): Readonly<Record<Platform, PlatformMode>> {
    return { ...this.#modes };
  }

  of(platform: Platform): PlatformMode {
    return this.#modes[platform];
  }

  set(platform: Platform, mode: PlatformMode): void {
    this.#modes[platform] = mode;
    this.#changes.next(this.all());
  }
}
