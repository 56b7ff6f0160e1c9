import { Injectable } from '@nestjs/common';
import type { ApnsEnvironment } from '#push/jobs';
import { comparableToken, type SandboxPlatform, sandboxPlatforms } from '../provider/platform.js';

/** The scripted answer of one token. */
export interface ScriptedAnswer {
  readonly platform: SandboxPlatform;
  /** APNs: the environment of the token, production if left out; the other one does not know the token. */
  readonly environment?: ApnsEnvironment | undefined;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  /** Since when the token is dead, in UNIX milliseconds. */
  readonly timestamp?: number | undefined;
  /** Seconds. */
  readonly retry_after?: number | undefined;
  /** For how many requests; all if left out. */
  readonly times?: number | undefined;
  /** FCM: false leaves the FcmError entry out of the error's details. */
  readonly with_details?: boolean | undefined;
  /** FCM: adds a google.rpc.BadRequest entry that names these fields. */
  readonly bad_request?: readonly string[] | undefined;
  /** Answers with a page of a front end, and with nothing of the provider. */
  readonly html?: boolean | undefined;
  /** Whether the phone shows the push; if left out, only an accepted one. */
  readonly shown?: boolean | undefined;
  /** The delay of the answer, beside that of the mode. */
  readonly delay_ms?: number | undefined;
  /** The phone is off for so long, and gets no push with a shorter time to live. */
  readonly phone_off_seconds?: number | undefined;
  /** Sends no answer: leaves the request open, or ends its stream (over HTTP/1.1 the connection). */
  readonly no_answer?: 'hang' | 'reset' | undefined;
}

/** The scripted answers by token. */
@Injectable()
export class ScriptedAnswersStore {
  readonly #answers = new Map<string, ScriptedAnswer>();

  set(token: string, answer: ScriptedAnswer): void {
    this.#answers.set(keyOf(answer.platform, token), answer);
  }

  /** Removes the answers of a token at all providers. */
  forget(token: string): void {
    for (const platform of sandboxPlatforms) this.#answers.delete(keyOf(platform, token));
  }

  /** Apple's environment of the token. */
  environmentOf(token: string): ApnsEnvironment {
    return this.#answers.get(keyOf('apns', token))?.environment ?? 'production';
  }

  /** The answer to the next request for a token; counts down its `times`. */
  take(platform: SandboxPlatform, token: string): ScriptedAnswer | undefined {
    const key = keyOf(platform, token);
    const answer = this.#answers.get(key);
    if (answer?.times === 1) this.#end(key, answer);
    else if (answer?.times !== undefined) {
      this.#answers.set(key, { ...answer, times: answer.times - 1 });
    }
    return answer;
  }

  /** Removes an answer that is used up; the environment of the token stays. */
  #end(key: string, { platform, environment }: ScriptedAnswer): void {
    if (environment === undefined) this.#answers.delete(key);
    else this.#answers.set(key, { platform, environment });
  }
}

function keyOf(platform: SandboxPlatform, token: string): string {
  return `${platform} ${comparableToken(platform, token)}`;
}
