-- Records transient events of an answer before it is sent, unless a newer poll has begun. KEYS: the queue. ARGV: the id
-- of the poll; the id of the last of these events, and the cursor after them; the cursor that the client has acknowledged, or
-- "", because a poll that continues another one is not recorded.
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'sent_id', ARGV[2], 'sent_cursor', ARGV[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'cursor', ARGV[4]) end
return 1
