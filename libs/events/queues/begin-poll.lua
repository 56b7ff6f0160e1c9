-- Begins polls of queues, or opens a new queue with a poll of no duration.
-- KEYS: the queues. ARGV: the number of limits of polls, and for each limit its window in seconds and the polls in a window;
-- then for each queue one text with these words, between which is one space: the last id that the client has; the holder of
-- the poll; the longest time of the poll, the time without a poll until the queue expires, and the time until the state may be
-- forgotten, in milliseconds; "1" if the state may be missing, because the queue is new or Redis has lost it; the cursor of
-- the transient events of a new queue, or "". One text takes the gateway less time than seven arguments.
-- Returns such a text for each queue: "begun" with the previous holder ("" if there is none) and the cursor of the transient
-- events that the client has acknowledged ("" if it is unknown); "limited" with the milliseconds until the end of the longest
-- exceeded window; or "missing", "expired" or "pruned".
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limits = tonumber(ARGV[1])
local fields = { 'acknowledged', 'deadline', 'holder', 'cursor', 'sent_id', 'sent_cursor' }
for index = 1, limits do
  fields[#fields + 1] = 'window' .. ARGV[2 * index]
  fields[#fields + 1] = 'polls' .. ARGV[2 * index]
end

-- Counts a poll in `changes`; returns the milliseconds until the end of the longest exceeded window, or 0.
local function count(state, changes)
  local wait = 0
  for index = 1, limits do
    local ends, polls = tonumber(state[5 + 2 * index] or 0), tonumber(state[6 + 2 * index] or 0) + 1
    if ends <= now then
      ends, polls = now + ARGV[2 * index] * 1000, 1
    end
    changes[#changes + 1] = fields[5 + 2 * index]
    changes[#changes + 1] = string.format('%.0f', ends)
    changes[#changes + 1] = fields[6 + 2 * index]
    changes[#changes + 1] = polls
    if polls > tonumber(ARGV[2 * index + 1]) then wait = math.max(wait, ends - now) end
  end
  return wait
end

local function begin(queue, last, holder, longest, idle, kept, isRevival, startCursor)
  local state = redis.call('HMGET', queue, unpack(fields))
  if state[1] then
    if tonumber(state[2]) < now and isRevival ~= '1' then return 'expired' end
  elseif isRevival ~= '1' then
    return 'missing'
  end
  local changes = {}
  local wait = count(state, changes)
  local isPruned = state[1] and tonumber(last) < tonumber(state[1])
  if wait > 0 or isPruned then
    if #changes > 0 then redis.call('HSET', queue, unpack(changes)) end
    if wait > 0 then return 'limited ' .. string.format('%.0f', wait) end
    return 'pruned'
  end
  local cursor = state[4] or startCursor
  if state[5] then
    -- A client that acknowledges a smaller id reads the transient events again, in their newest form.
    if tonumber(last) >= tonumber(state[5]) then cursor = state[6] end
    redis.call('HDEL', queue, 'sent_id', 'sent_cursor')
  end
  if cursor ~= '' and cursor ~= state[4] then
    changes[#changes + 1] = 'cursor'
    changes[#changes + 1] = cursor
  end
  local deadline = string.format('%.0f', now + longest + idle)
  redis.call('HSET', queue, 'acknowledged', last, 'deadline', deadline, 'holder', holder, unpack(changes))
  redis.call('PEXPIRE', queue, kept)
  return 'begun ' .. (state[3] or '') .. ' ' .. cursor
end

local word = '(%S*)'
local words = '^' .. string.rep(word .. ' ', 6) .. word .. '$'
local results = {}
for index = 1, #KEYS do
  results[index] = begin(KEYS[index], string.match(ARGV[1 + 2 * limits + index], words))
end
return results
