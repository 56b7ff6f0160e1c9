import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { clientNames } from './client-names.js';
import type { EmojiNames } from './unicode-emoji.js';

/** The presets of other chats; of a name that they disagree on the first has it right more often. */
const PRESETS = ['github', 'iamcal', 'joypixels', 'cldr', 'emojibase'] as const;

const preset = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

const { resolve } = createRequire(import.meta.url);

/**
 * All names of Unicode emoji, ours first. Reads the presets from disk, one at a time: whoever keeps
 * something of a table keeps it alone in memory.
 */
export function* readEmojiNames(): Generator<EmojiNames> {
  yield Object.fromEntries(
    Object.entries(clientNames).map(([code, names]) => [code, names.split(' ')]),
  );
  for (const name of PRESETS) {
    const file = resolve(`emojibase-data/en/shortcodes/${name}.json`);
    yield preset.parse(JSON.parse(readFileSync(file, 'utf8')));
  }
}
