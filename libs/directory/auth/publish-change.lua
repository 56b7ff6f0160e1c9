-- Numbers and publishes a change of sign-ins. The number is the time of Redis in microseconds, or one more than the last
-- number, so that it is never given twice, also if Redis loses its data.
-- KEYS: those of renew-lease.lua. ARGV: the channel; the lease in milliseconds; the accounts.
-- Returns the number.
local time = redis.call('TIME')
local microseconds = time[1] * 1000000 + time[2]
local last = redis.call('HGET', KEYS[1], 'last')
local number = string.format('%.0f', math.max(microseconds, (tonumber(last) or 0) + 1))
redis.call('HSET', KEYS[1], 'last', number)
if not last then redis.call('HSET', KEYS[1], 'since', math.floor(microseconds / 1000)) end
for index = 3, #ARGV do redis.call('ZADD', KEYS[2], number, ARGV[index]) end
-- A gateway with a lease has applied all changes that are older than a lease.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', microseconds - 2000 * ARGV[2]))
redis.call('PUBLISH', ARGV[1], '')
return number
