import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCommands } from './redis-servers.js';

/** A Lua script, called by its hash; the text is sent only to a server that does not know the hash. */
export class LuaScript {
  readonly #text: string;
  readonly #sha: string;

  /** Concatenates files; their names are relative to `base`, the URL of the calling module. */
  constructor(base: string, ...fileNames: string[]) {
    this.#text = fileNames.map((name) => readFileSync(new URL(name, base), 'utf8')).join('');
    this.#sha = createHash('sha1').update(this.#text).digest('hex');
  }

  /**
   * Runs the script, and resolves with its reply. Rejects with the error of Redis. On a cluster all keys must be in one slot.
   */
  async run(
    redis: RedisCommands,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }
}
