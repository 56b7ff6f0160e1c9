import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { PlatformMode, SandboxPlatform } from '../provider/platform.js';

/** The current mode of each provider. */
@Injectable()
export class PlatformModesStore {
  readonly #modes: Record<SandboxPlatform, PlatformMode> = {
    apns: { mode: 'ok' },
    fcm: { mode: 'ok' },
    web: { mode: 'ok' },
  };
  readonly #changes = new Subject<Readonly<Record<SandboxPlatform, PlatformMode>>>();

  /** Emits all modes after each change. */
  readonly changes = this.#changes.asObservable();

  all(): Readonly<Record<SandboxPlatform, PlatformMode>> {
    return { ...this.#modes };
  }

  of(platform: SandboxPlatform): PlatformMode {
    return this.#modes[platform];
  }

  set(platform: SandboxPlatform, mode: PlatformMode): void {
    this.#modes[platform] = mode;
    this.#changes.next(this.all());
  }
}
