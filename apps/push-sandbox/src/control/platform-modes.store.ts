import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { PlatformMode } from '../wire/platform-mode.js';
import type { Platform } from '../wire/platform.js';

/** How each provider behaves at the moment. */
@Injectable()
export class PlatformModesStore {
  readonly #modes: Record<Platform, PlatformMode> = { apns: { mode: 'ok' }, fcm: { mode: 'ok' } };
  readonly #changes = new Subject<Readonly<Record<Platform, PlatformMode>>>();

  /** All modes, each time that one was set. */
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
