-- KEYS: the leases of renew-lease.lua. ARGV: the number of a change; the lease in milliseconds.
-- Returns 1 if every gateway with a lease has applied the change. Redis does not know the leases that are older than the hash.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local since = tonumber(redis.call('HGET', KEYS[1], 'since'))
if not since or since + ARGV[2] > now then return 0 end
local isApplied = 1
local fields = redis.call('HGETALL', KEYS[1])
for index = 1, #fields, 2 do
  local applied, ends = string.match(fields[index + 1], '^(%d+) (%d+)$')
  if applied and tonumber(ends) <= now then
    redis.call('HDEL', KEYS[1], fields[index])
  elseif applied and tonumber(applied) < tonumber(ARGV[1]) then
    isApplied = 0
  end
end
return isApplied
