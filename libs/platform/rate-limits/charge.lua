-- Charges calls to rate limits, each only with the proof of its sign-in.
-- KEYS: the keys of the proofs, then for each call the key of each rule. ARGV: the number of calls; the window of each rule
-- in seconds; the value of each proof.
-- Returns for each call the number of calls and the milliseconds until the end of the window, rule by rule; nil for a call
-- without the proof, which is not charged.
local calls = tonumber(ARGV[1])
local rules = #ARGV - 1 - calls

local function charge(key, seconds)
  local count = redis.call('INCR', key)
  local left = redis.call('PTTL', key)
  if left < 0 then
    redis.call('EXPIRE', key, seconds)
    left = 1000 * seconds
  end
  return count, left
end

-- A key with another type has no value.
local values = redis.call('MGET', unpack(KEYS, 1, calls))
local results = {}
for call = 1, calls do
  local counts = false
  if values[call] == ARGV[1 + rules + call] then
    counts = {}
    for rule = 1, rules do
      local key = KEYS[calls + rules * (call - 1) + rule]
      counts[2 * rule - 1], counts[2 * rule] = charge(key, ARGV[1 + rule])
    end
  end
  results[call] = counts
end
return results
