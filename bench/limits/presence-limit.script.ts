/**
 * Everything that a poll needs from Redis, in one call.
 *
 * KEYS  rate counter, auth version, entries (hash), changes (stream)
 * ARGV  user id, now in UNIX seconds, cursor of the client
 *
 * Counts the request for the rate limit, reads the auth version, merges an `active` report into the entry of the user
 * by the rule of the presence program (a report within 55 seconds changes nothing), and reads the changes after the
 * cursor. Returns the number of counted requests, the auth version, the new cursor, and the changes as JSON members
 * separated by commas.
 */
export const PRESENCE_LIMIT_SCRIPT = `
local calls = redis.call('INCR', KEYS[1])
if calls == 1 then
  redis.call('EXPIRE', KEYS[1], 60)
end
local version = redis.call('GET', KEYS[2])
local now = tonumber(ARGV[2])
local active = 0
local stored = redis.call('HGET', KEYS[3], ARGV[1])
if stored then
  active = struct.unpack('>I4', stored)
end
if now - active > 55 then
  redis.call('HSET', KEYS[3], ARGV[1], struct.pack('>I4I4', now, now))
  local member = string.format('"%s":{"active_timestamp":%d,"idle_timestamp":%d}', ARGV[1], now, now)
  local time = redis.call('TIME')
  local last = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)
  local previous = last[1] and tonumber(string.match(last[1][1], '%d+')) or 0
  local id = math.max(previous + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
  redis.call('XADD', KEYS[4], 'MAXLEN', '~', 8192, string.format('%.0f-0', id), 'c', member)
end
local changes = redis.call('XRANGE', KEYS[4], '(' .. ARGV[3] .. '-0', '+')
local members = {}
local cursor = ARGV[3]
for index, change in ipairs(changes) do
  members[index] = change[2][2]
  cursor = string.match(change[1], '%d+')
end
return { calls, version, cursor, table.concat(members, ',') }
`;
