/**
 * All that a poll asks of Redis, in one call, where no process remembers anything.
 *
 *   KEYS  rate counter, auth version, entries (hash: user to ready-made JSON member), order (sorted set:
 *         user by update id), meta (hash: top)
 *   ARGV  user id, now in UNIX seconds, cursor of the client
 *
 * Charges the rate limit, reads the auth version, merges an `active` report by the same rule as the presence
 * program (a report within 55 seconds changes nothing), and reads what changed after the cursor. Returns calls
 * charged, auth version, the last update id, and the changes as JSON members with commas between.
 */
export const REDIS_READING_SCRIPT = `
local calls = redis.call('INCR', KEYS[1])
if calls == 1 then
  redis.call('EXPIRE', KEYS[1], 60)
end
local version = redis.call('GET', KEYS[2])
local now = tonumber(ARGV[2])
local top = redis.call('HGET', KEYS[5], 'top')
local seen = tonumber(redis.call('ZSCORE', KEYS[4], ARGV[1]) or '0')
if now - math.floor(seen / 1000000) > 55 then
  local time = redis.call('TIME')
  local id = math.max(tonumber(top) + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
  top = string.format('%.0f', id)
  local member = string.format('"%s":{"active_timestamp":%d,"idle_timestamp":%d}', ARGV[1], now, now)
  redis.call('HSET', KEYS[3], ARGV[1], member)
  redis.call('ZADD', KEYS[4], top, ARGV[1])
  redis.call('HSET', KEYS[5], 'top', top)
end
local users = redis.call('ZRANGE', KEYS[4], '(' .. ARGV[3], '+inf', 'BYSCORE')
local slices = {}
-- More arguments than this do not fit into one call.
for first = 1, #users, 4000 do
  local last = math.min(first + 3999, #users)
  slices[#slices + 1] = table.concat(redis.call('HMGET', KEYS[3], unpack(users, first, last)), ',')
end
return { calls, version, top, table.concat(slices, ',') }
`;
