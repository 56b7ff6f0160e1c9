-- Whether the time without a poll of a queue has passed; 0 for an unknown queue. KEYS: the queue.
local deadline = redis.call('HGET', KEYS[1], 'deadline')
local time = redis.call('TIME')
if deadline and tonumber(deadline) < time[1] * 1000 + math.floor(time[2] / 1000) then return 1 end
return 0
