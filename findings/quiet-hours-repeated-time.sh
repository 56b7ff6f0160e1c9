#!/usr/bin/env bash
# 02:30 comes twice in Berlin on 2026-10-25. Which of the two quiet hours begin with depends in luxon on the season in which the
# program runs, and in date-fns-tz on the zone of the process. The polyfill of Temporal always takes the first.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install luxon@3.7.2 date-fns-tz@3.2.0 date-fns@4.1.0 temporal-polyfill@1.0.8
cat >find.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { DateTime, Settings } from 'luxon';
import { Temporal } from 'temporal-polyfill';
import { seen } from './seen.mjs';

const FIRST = '2026-10-25T00:30:00.000Z';
const SECOND = '2026-10-25T01:30:00.000Z';

function byLuxon(now) {
  Settings.now = () => Date.parse(now);
  const time = { year: 2026, month: 10, day: 25, hour: 2, minute: 30 };
  return DateTime.fromObject(time, { zone: 'Europe/Berlin' }).toJSDate().toISOString();
}
seen('luxon, in July', byLuxon('2026-07-01T00:00:00Z'), FIRST);
seen('luxon, in December', byLuxon('2026-12-01T00:00:00Z'), SECOND);

const program = `
  import { fromZonedTime } from 'date-fns-tz';
  console.log(fromZonedTime('2026-10-25T02:30:00', 'Europe/Berlin').toISOString());`;
const byDateFns = (TZ) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, TZ } }).toString().trim();
seen('date-fns-tz, in a process of New York', byDateFns('America/New_York'), FIRST);
seen('date-fns-tz, in a process of UTC', byDateFns('UTC'), SECOND);

const { epochMilliseconds } = Temporal.PlainDateTime.from('2026-10-25T02:30').toZonedDateTime('Europe/Berlin');
seen('temporal-polyfill', new Date(epochMilliseconds).toISOString(), FIRST);
JS
node find.mjs
