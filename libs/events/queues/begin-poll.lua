-- Begins a poll of a queue, or opens a new queue with a poll of no duration.
-- KEYS: the queue. ARGV: the last id that the client has; the holder of the poll; the longest time of the poll, the time
-- without a poll until the queue expires, and the time until the state may be forgotten, in milliseconds; "1" if the state
-- may be missing, because the queue is new or Redis has lost it; the cursor of the transient events of a new queue, or "";
-- then for each limit of polls its window in seconds and the polls in a window.
-- Returns "begun" with the previous holder (empty if there is none) and the cursor of the transient events that the client
-- has acknowledged (empty if it is unknown); "limited" with the milliseconds until the end of the longest exceeded window;
-- or "missing", "expired" or "pruned".
local queue, last = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HMGET', queue, 'acknowledged', 'deadline', 'holder', 'cursor', 'sent_id', 'sent_cursor')
if state[1] then
  if tonumber(state[2]) < now and ARGV[6] ~= '1' then return { 'expired', '', '' } end
elseif ARGV[6] ~= '1' then
  return { 'missing', '', '' }
end
local wait = 0
for index = 8, #ARGV, 2 do
  local window, polls = 'window' .. ARGV[index], 'polls' .. ARGV[index]
  local counted = redis.call('HMGET', queue, window, polls)
  local ends, count = tonumber(counted[1] or 0), tonumber(counted[2] or 0) + 1
  if ends <= now then
    ends, count = now + ARGV[index] * 1000, 1
  end
  redis.call('HSET', queue, window, string.format('%.0f', ends), polls, count)
  if count > tonumber(ARGV[index + 1]) then wait = math.max(wait, ends - now) end
end
if wait > 0 then return { 'limited', string.format('%.0f', wait), '' } end
if state[1] and tonumber(last) < tonumber(state[1]) then return { 'pruned', '', '' } end
local deadline = string.format('%.0f', now + ARGV[3] + ARGV[4])
redis.call('HSET', queue, 'acknowledged', last, 'deadline', deadline, 'holder', ARGV[2])
local cursor = state[4] or ARGV[7]
if state[5] then
  -- A client that acknowledges a smaller id reads the transient events again, in their newest form.
  if tonumber(last) >= tonumber(state[5]) then cursor = state[6] end
  redis.call('HDEL', queue, 'sent_id', 'sent_cursor')
end
if cursor ~= '' and cursor ~= state[4] then redis.call('HSET', queue, 'cursor', cursor) end
redis.call('PEXPIRE', queue, ARGV[5])
return { 'begun', state[3] or '', cursor }
