-- KEYS: the leases of renew-lease.lua. ARGV: the number of a change; the lease in milliseconds.
-- Returns 1 if every gateway with a lease has applied the change. Redis does not know the leases that are older than the hash.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local since = tonumber(redis.call('HGET', KEYS[1], 'since'))
if not since or since + ARGV[2] > now then return 0 end
for _, value in ipairs(redis.call('HVALS', KEYS[1])) do
  local applied, ends = string.match(value, '^(%d+) (%d+)$')
  if applied and tonumber(ends) > now and tonumber(applied) < tonumber(ARGV[1]) then return 0 end
end
return 1
