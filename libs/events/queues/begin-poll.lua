-- Begins polls of queues, or opens a new queue with a poll of no duration.
-- KEYS: the queues. ARGV: for each queue one text with these words, between which is one space: the last id that the client
-- has; the last id that the gateway knows as acknowledged; the id of the poll, for the field `holder`; the longest time of the
-- poll and of those that continue it, the time without a poll until the queue expires, and the time until the state may be
-- forgotten, in milliseconds; "1" if the state may be missing or expired, because the queue is new or PostgreSQL shows that it
-- lives; the cursor of the transient events of a new queue, or "". One text takes the gateway less time than eight arguments.
-- Returns such a text for each queue: "begun" with the id of the previous poll ("" if there is none) and the cursor of the
-- transient events that the client has acknowledged ("" if it is unknown); or "missing", "expired" or "pruned".
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function begin(queue, last, known, poll, longest, idle, kept, mayRecreate, startCursor)
  local state =
    redis.call('HMGET', queue, 'acknowledged', 'deadline', 'holder', 'cursor', 'sent_id', 'sent_cursor')
  if state[1] then
    if tonumber(state[2]) < now and mayRecreate ~= '1' then return 'expired' end
  elseif mayRecreate ~= '1' then
    return 'missing'
  end
  if tonumber(last) < math.max(tonumber(state[1] or 0), tonumber(known)) then return 'pruned' end
  local cursor = state[4] or startCursor
  if state[5] then
    -- A client that acknowledges a smaller id reads the transient events again, in their newest form.
    if tonumber(last) >= tonumber(state[5]) then cursor = state[6] end
    redis.call('HDEL', queue, 'sent_id', 'sent_cursor')
  end
  if cursor ~= '' and cursor ~= state[4] then redis.call('HSET', queue, 'cursor', cursor) end
  local deadline = string.format('%.0f', now + longest + idle)
  redis.call('HSET', queue, 'acknowledged', last, 'deadline', deadline, 'holder', poll)
  redis.call('PEXPIRE', queue, kept)
  return 'begun ' .. (state[3] or '') .. ' ' .. cursor
end

local word = '(%S*)'
local words = '^' .. string.rep(word .. ' ', 7) .. word .. '$'
local results = {}
for index = 1, #KEYS do
  results[index] = begin(KEYS[index], string.match(ARGV[index], words))
end
return results
