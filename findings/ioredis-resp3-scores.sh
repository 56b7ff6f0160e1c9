#!/usr/bin/env bash
# ioredis with `replyMapping: 'resp3'` returns scores as numbers, and many of them are not the numbers that were stored: among Unix
# times in microseconds, too.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install ioredis@6.0.0
redis
cat >find.mjs <<'JS'
import { Redis } from 'ioredis';
import { seen } from './seen.mjs';

const port = Number(process.env.REDIS_PORT);
const texts = new Redis({ port });
const numbers = new Redis({ port, replyMapping: 'resp3' });
// Times of a second each, with microseconds.
const scores = Array.from({ length: 1000 }, (_, n) => 1_790_000_000 + n + ((n * 7919) % 1_000_000) / 1_000_000);
await texts.zadd('times', ...scores.flatMap((score, n) => [score, `member${n}`]));
const asTexts = new Map();
for (let n = 0; n < scores.length; n += 1) asTexts.set(n, await texts.zscore('times', `member${n}`));
let wrong = 0;
let example = null;
for (let n = 0; n < scores.length; n += 1) {
  const score = await numbers.zscore('times', `member${n}`);
  if (score === scores[n]) continue;
  wrong += 1;
  example ??= { stored: scores[n], returned: score };
}
seen('wrong as texts', [...asTexts].filter(([n, text]) => Number(text) !== scores[n]).length, 0);
seen('type of a score', typeof (await numbers.zscore('times', 'member1')), 'number');
seen('many are wrong as numbers', wrong > 100, true);
console.log(`${wrong} of ${scores.length}, such as ${JSON.stringify(example)}`);
process.exit();
JS
node find.mjs
