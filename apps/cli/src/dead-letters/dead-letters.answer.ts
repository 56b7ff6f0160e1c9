import type { DeadLetter, DeadLetterCount } from '#push/admin';
import type { Answer } from '../command-context.js';
import type { Json } from '../output/json.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

const letterJson = (letter: DeadLetter) => ({
  id: letter.id,
  notification_id: letter.notificationId,
  device_id: letter.deviceId,
  user_id: letter.userId,
  platform: letter.platform,
  kind: letter.kind,
  reason: letter.reason,
  fingerprint: letter.fingerprint,
  created_at: timeJson(letter.createdAt),
  // The value of a JSON column.
  payload: letter.payload as Json,
});

const countJson = ({ reason, platform, letters, oldestAt }: DeadLetterCount) => ({
  reason,
  platform,
  letters,
  oldest_at: timeJson(oldestAt),
});

/** The number of dead letters by reason, and the newest ones. */
export const lettersAnswer = (
  counts: readonly DeadLetterCount[],
  letters: readonly DeadLetter[],
): Answer => ({
  json: { counts: counts.map(countJson), letters: letters.map(letterJson) },
  text: counts.length === 0 ? 'No dead letters.' : lettersText(counts, letters),
});

const lettersText = (counts: readonly DeadLetterCount[], letters: readonly DeadLetter[]): string =>
  [
    tableOf(
      ['reason', 'platform', 'letters', 'oldest (UTC)'],
      counts.map(({ reason, platform, letters: count, oldestAt }) => [
        reason,
        platform,
        count,
        timeText(oldestAt),
      ]),
    ),
    '',
    `The newest ${letters.length}:`,
    tableOf(
      ['id', 'reason', 'platform', 'kind', 'user', 'fingerprint', 'refused (UTC)'],
      letters.map((letter) => [
        letter.id,
        letter.reason,
        letter.platform,
        letter.kind,
        letter.userId,
        letter.fingerprint,
        timeText(letter.createdAt),
      ]),
    ),
  ].join('\n');
