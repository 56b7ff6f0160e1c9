import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { OpenedTransports } from './open-transports.js';

/** DI token of the OpenedTransports. */
export const OPENED_TRANSPORTS = Symbol('OpenedTransports');

/**
 * Between two looks at the files. They are read each time: mounted secrets are replaced in ways that
 * notifications of the file system and times of change do not show.
 */
const LOOK_EVERY_MS = 5000;

/** Has credentials that were replaced used without a restart. */
@Injectable()
export class CredentialRotation implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger('Credentials');
  #timer: NodeJS.Timeout | undefined;

  constructor(@Inject(OPENED_TRANSPORTS) private readonly opened: OpenedTransports) {}

  onApplicationBootstrap(): void {
    for (const warning of this.#warnings()) this.#logger.warn(warning);
    this.#timer = setInterval(() => void this.#reload(false), LOOK_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.opened.close();
  }

  /** Looks at the files at once, because a person asks for it. */
  async execute(): Promise<void> {
    this.#logger.log('Looking at the files with credentials');
    await this.#reload(true);
  }

  /** For health: rejects with what a person should do something about. */
  async check(): Promise<void> {
    const warnings = this.#warnings();
    if (warnings.length > 0) throw new Error(warnings.join('; '));
  }

  #warnings(): string[] {
    return this.opened.credentials.flatMap(({ warnings }) => warnings);
  }

  async #reload(isAskedFor: boolean): Promise<void> {
    await Promise.all(this.opened.credentials.map((watched) => watched.reload(isAskedFor)));
  }
}
