import { Injectable } from '@nestjs/common';
import {
  type ApnsEnvironment,
  comparableToken,
  type Platform,
  platforms,
} from '../wire/platform.js';

/** An answer that somebody asked for, for one token. */
export interface ScriptedAnswer {
  readonly platform: Platform;
  /** APNs: where the token belongs; in the other environment it is not known. Left out: production. */
  readonly environment?: ApnsEnvironment | undefined;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  /** When Apple learned that the token is dead, in UNIX milliseconds. */
  readonly timestamp?: number | undefined;
  /** Seconds. */
  readonly retry_after?: number | undefined;
  /** How many requests are answered so; left out: all. */
  readonly times?: number | undefined;
  /** FCM: false leaves the FcmError entry out of the error's details. */
  readonly with_details?: boolean | undefined;
  /** FCM: true adds a google.rpc.BadRequest entry. */
  readonly bad_request?: boolean | undefined;
}

/** Which tokens are answered out of the ordinary. */
@Injectable()
export class ScriptedAnswersStore {
  readonly #answers = new Map<string, ScriptedAnswer>();

  set(token: string, answer: ScriptedAnswer): void {
    this.#answers.set(keyOf(answer.platform, token), answer);
  }

  /** Back to normal, whichever provider the token is of. */
  forget(token: string): void {
    for (const platform of platforms) this.#answers.delete(keyOf(platform, token));
  }

  /** The one of Apple's environments that knows the token. */
  environmentOf(token: string): ApnsEnvironment {
    return this.#answers.get(keyOf('apns', token))?.environment ?? 'production';
  }

  /** The answer for the next request to this token, which counts as one of its `times`. */
  take(platform: Platform, token: string): ScriptedAnswer | undefined {
    const key = keyOf(platform, token);
    const answer = this.#answers.get(key);
    if (answer?.times === 1) this.#end(key, answer);
    else if (answer?.times !== undefined) {
      this.#answers.set(key, { ...answer, times: answer.times - 1 });
    }
    return answer;
  }

  /** The answer has been given as often as it was to be; where the token belongs stays. */
  #end(key: string, { platform, environment }: ScriptedAnswer): void {
    if (environment === undefined) this.#answers.delete(key);
    else this.#answers.set(key, { platform, environment });
  }
}

function keyOf(platform: Platform, token: string): string {
  return `${platform} ${comparableToken(platform, token)}`;
}
