--[[
  Brings back what Redis has lost of one realm. Any number of processes may call it at the same time.
  Begins with publish.lua; KEYS and ARGV[1] to ARGV[4] are there.

  Without an epoch the realm is made anew: the entries keep the ids that clients know them by, and the
  realm gets the new epoch. Whatever is left of the realm is dropped first: the meta hash is the proof
  that the rest is whole.

  With an epoch, what an entry adds to the stored one is published as a change. It does not keep its id
  then: a client may already have been given a cursor above that id, and would never see it.

  Times that are ahead of the clock of Redis are reduced to it.

  ARGV[5]  the entries, packed one after another: user, active, idle, joined, hidden,
           1 if deactivated or 0, id
  ARGV[6]  the epoch to give to a realm that has none

  Result   1 when the realm was made anew, 0 when it was there
]]
local packed, position = ARGV[5], 1
local function nextEntry()
  local user, active, idle, joined, hidden, deactivated, id
  user, active, idle, joined, hidden, deactivated, id, position =
    struct.unpack('>I4I4I4I4I4Bd', packed, position)
  active, idle, joined, hidden = upToNow(active), upToNow(idle), upToNow(joined), upToNow(hidden)
  return user, active, idle, joined, hidden, deactivated == 1, id
end

-- A time as it counts for a user who hid later than that.
local function hidden(time, ownHidden, hiddenAt, seconds)
  if ownHidden < hiddenAt and time <= hiddenAt then
    return math.min(time, math.max(0, hiddenAt - seconds))
  end
  return time
end

-- The rule of state/reconcile.rules.ts: all that either of two states of a user knows, and whether that
-- is more than the first.
local function combine(active, idle, hid, otherActive, otherIdle, otherHid)
  local hiddenAt = math.max(hid, otherHid)
  local newActive = math.max(
    hidden(active, hid, hiddenAt, hiddenActiveSeconds),
    hidden(otherActive, otherHid, hiddenAt, hiddenActiveSeconds)
  )
  local newIdle = math.max(
    hidden(idle, hid, hiddenAt, hiddenIdleSeconds),
    hidden(otherIdle, otherHid, hiddenAt, hiddenIdleSeconds)
  )
  local isMore = newActive ~= active or newIdle ~= idle or hiddenAt ~= hid
  return isMore, newActive, newIdle, hiddenAt
end

if epoch then
  while position <= #packed do
    local user, active, idle, joined, hid, isDeactivated = nextEntry()
    local stored = redis.call('HGET', entries, user)
    local isMore = true
    if stored then
      local storedActive, storedIdle, storedHid
      storedActive, storedIdle, storedHid, isDeactivated = unpackTimes(stored)
      isMore, active, idle, hid = combine(storedActive, storedIdle, storedHid, active, idle, hid)
      if math.max(active, idle, hid) > latest then
        isMore, active, idle, hid = true, upToNow(active), upToNow(idle), upToNow(hid)
      end
    end
    if isMore then
      publish(user, active, idle, joined, hid, isDeactivated)
    end
  end
  saveTop()
  return 0
end

redis.call('DEL', entries, stream)
top = math.max(served, 0)
while position <= #packed do
  local user, active, idle, joined, hidden, isDeactivated, id = nextEntry()
  local times = packTimes(active, idle, joined, hidden, isDeactivated)
  redis.call('HSET', entries, user, packEntry(id, times))
  top = math.max(top, id)
end
redis.call('HSET', meta, 'epoch', ARGV[6], 'top', integer(top), 'lineage', lineage)
return 1
