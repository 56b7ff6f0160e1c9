-- Renews the lease of a gateway, if the gateway has applied all changes of sign-ins.
-- KEYS: the leases, a hash with the number of the last change, the time since which the hash exists, and for each gateway
-- the number of the last change that it has applied and the end of its lease; the changes, the accounts by the numbers of
-- their last changes. ARGV: the gateway; the number of the last change that it has applied, or ""; the lease in milliseconds.
-- Returns the number of the last change, and 1 if the lease is renewed; otherwise 0, and the accounts that have changed
-- since the gateway's number, or nothing if all accounts may have changed. A new gateway removes the leases that have ended.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('HGET', KEYS[1], 'last')
if not last then
  last = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.call('HSET', KEYS[1], 'last', last, 'since', now)
end
local lease = '^(%d+) (%d+)$'

local function removeEnded()
  local fields = redis.call('HGETALL', KEYS[1])
  for index = 1, #fields, 2 do
    local _, ends = string.match(fields[index + 1], lease)
    if ends and tonumber(ends) <= now then redis.call('HDEL', KEYS[1], fields[index]) end
  end
end

if last == ARGV[2] then
  local renewed = last .. ' ' .. string.format('%.0f', now + ARGV[3])
  local isNew = redis.call('HSET', KEYS[1], ARGV[1], renewed) == 1
  if isNew then removeEnded() end
  return { last, 1 }
end
local applied = tonumber(ARGV[2])
local leased, ends = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', lease)
if applied and leased and tonumber(leased) <= applied and tonumber(ends) > now then
  return { last, 0, redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf') }
end
return { last, 0 }
