/**
 * Everything that a poll needs from presence, in one call, for processes without state in memory.
 *
 * KEYS  entries (hash: user id to the JSON member of the entry; `top`: the last update id),
 * order (sorted set: the same members by update id)
 * ARGV  user id, now in UNIX seconds, cursor of the client
 *
 * Merges an `active` report by the rule of the presence program (a report within 55 seconds changes nothing), and
 * reads the changes after the cursor. Returns the last update id, and the changes as JSON members separated by commas.
 *
 * The sorted set contains the members themselves, so that one command reads all changes. Reading them by user id would
 * take Redis longer.
 */
export const REDIS_READING_SCRIPT = `
local own = redis.call('HMGET', KEYS[1], 'top', ARGV[1])
local top, member = own[1] or '0', own[2]
local now = tonumber(ARGV[2])
local seen = member and tonumber(redis.call('ZSCORE', KEYS[2], member)) or 0
if now - math.floor(seen / 1000000) > 55 then
  if member then
    redis.call('ZREM', KEYS[2], member)
  end
  local time = redis.call('TIME')
  local id = math.max(tonumber(top) + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
  top = string.format('%.0f', id)
  member = string.format('"%s":{"active_timestamp":%d,"idle_timestamp":%d}', ARGV[1], now, now)
  redis.call('HSET', KEYS[1], 'top', top, ARGV[1], member)
  redis.call('ZADD', KEYS[2], top, member)
end
return { top, table.concat(redis.call('ZRANGE', KEYS[2], '(' .. ARGV[3], '+inf', 'BYSCORE'), ',') }
`;
