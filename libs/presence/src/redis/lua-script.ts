import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCommands } from '#redis';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** A script that Redis knows by its hash; sent whole only when the server in question does not know it yet. */
export class LuaScript {
  readonly #text: string;
  readonly #sha: string;

  constructor(...fileNames: string[]) {
    this.#text = fileNames.map(read).join('');
    this.#sha = createHash('sha1').update(this.#text).digest('hex');
  }

  async run(
    redis: RedisCommands,
    keys: readonly string[],
    args: (string | Buffer)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }
}
