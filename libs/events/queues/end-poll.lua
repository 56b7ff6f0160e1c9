-- Ends a poll, unless a newer one has begun. KEYS: the queue. ARGV: the id of the poll; the time until the queue expires,
-- in milliseconds; the last id that the client has acknowledged.
local poll, acknowledged = unpack(redis.call('HMGET', KEYS[1], 'holder', 'acknowledged'))
if poll ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local deadline = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]
redis.call('HSET', KEYS[1], 'deadline', string.format('%.0f', deadline), 'holder', '')
if tonumber(ARGV[3]) > tonumber(acknowledged) then redis.call('HSET', KEYS[1], 'acknowledged', ARGV[3]) end
return 1
