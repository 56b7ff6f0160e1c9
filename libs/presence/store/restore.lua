--[[
  Restores entries of one realm that Redis has lost. Each call takes a slice of the entries, so that no call takes long.
  Begins with publish.lua, which documents KEYS and ARGV[1] to ARGV[4].

  One process at a time restores a realm. Its first slice claims the realm, each further slice renews the claim, and the
  last slice releases it. A claim that is not renewed expires; the next process then continues with the entries that were
  restored so far.

  Without an epoch, the realm is created again: the entries keep their ids, which clients know, and the last slice sets
  the new epoch. Until then the realm counts as lost, and nothing is published. Without a claim, the remains of the realm
  are deleted first, because only the meta hash proves that they are complete.

  With an epoch, the difference to the stored entry is published as a change. That change gets a new id: a client may
  already have a cursor above the old id, and would never receive the change.

  Times that are ahead of the clock of Redis are reduced to it.

  ARGV[5]  the entries of the slice, packed one after another: user, active, idle, joined, hidden,
           1 if deactivated or 0, id
  ARGV[6]  the epoch for a realm without one; its chain of changes starts with the same number
  ARGV[7]  the claim: the unique name of the restoration
  ARGV[8]  the number of entries in the earlier slices; 0 starts a restoration
  ARGV[9]  1 with the last slice, else 0
  ARGV[10] after this many milliseconds without a slice, the claim expires

  Result   1: the slice was stored; 0: another process is restoring the realm; -1: the claim was lost, and the earlier
           slices may be lost too
]]
local STORED, BUSY, CLAIM_LOST = 1, 0, -1
local packed, position = ARGV[5], 1
local claim, offset, isLast, leaseUs = ARGV[7], tonumber(ARGV[8]), ARGV[9] == '1', tonumber(ARGV[10]) * 1000
local claimed = redis.call('HMGET', meta, 'claim', 'claimUntil', 'claimCount')
if offset == 0 then
  -- A claim that ends later than any lease was set before the clock stepped back.
  local leftUs = tonumber(claimed[2] or 0) - now
  if claimed[1] and claimed[1] ~= claim and leftUs > 0 and leftUs <= leaseUs then
    return BUSY
  end
elseif claimed[1] ~= claim or tonumber(claimed[3]) ~= offset then
  -- A promoted replica that lagged has fewer slices than were sent.
  return CLAIM_LOST
end

local count = offset
local function nextEntry()
  local user, active, idle, joined, hidden, deactivated, id
  user, active, idle, joined, hidden, deactivated, id, position =
    struct.unpack('>I4I4I4I4I4Bd', packed, position)
  active, idle, joined, hidden = upToNow(active), upToNow(idle), upToNow(joined), upToNow(hidden)
  count = count + 1
  return user, active, idle, joined, hidden, deactivated == 1, id
end

local function finish()
  if isLast then
    redis.call('HDEL', meta, 'claim', 'claimUntil', 'claimCount')
  else
    redis.call('HSET', meta, 'claim', claim, 'claimUntil', integer(now + leaseUs), 'claimCount', count)
  end
  return STORED
end

-- A time of a state, moved back if the user went invisible after it and the state does not know.
local function movedBack(time, ownHidden, hiddenAt, seconds)
  if ownHidden < hiddenAt and time <= hiddenAt then
    return math.min(time, math.max(0, hiddenAt - seconds))
  end
  return time
end

-- Combines two states of a user, as rules/reconcile.rules.ts does. Also returns whether the result differs from the
-- first state.
local function combine(active, idle, hidden, otherActive, otherIdle, otherHidden)
  local hiddenAt = math.max(hidden, otherHidden)
  local newActive = math.max(
    movedBack(active, hidden, hiddenAt, hiddenActiveSeconds),
    movedBack(otherActive, otherHidden, hiddenAt, hiddenActiveSeconds)
  )
  local newIdle = math.max(
    movedBack(idle, hidden, hiddenAt, hiddenIdleSeconds),
    movedBack(otherIdle, otherHidden, hiddenAt, hiddenIdleSeconds)
  )
  local isMore = newActive ~= active or newIdle ~= idle or hiddenAt ~= hidden
  return isMore, newActive, newIdle, hiddenAt
end

if epoch then
  while position <= #packed do
    local user, active, idle, joined, hidden, isDeactivated = nextEntry()
    local stored = redis.call('HGET', entries, user)
    local isMore = true
    if stored then
      local storedActive, storedIdle, storedHidden
      storedActive, storedIdle, storedHidden, isDeactivated = unpackTimes(stored)
      isMore, active, idle, hidden = combine(storedActive, storedIdle, storedHidden, active, idle, hidden)
      if math.max(active, idle, hidden) > latest then
        isMore, active, idle, hidden = true, upToNow(active), upToNow(idle), upToNow(hidden)
      end
    end
    if isMore then
      publish(user, active, idle, joined, hidden, isDeactivated)
    end
  end
  saveTop()
  return finish()
end

if not claimed[1] then
  redis.call('UNLINK', entries, stream)
  top = 0
end
top = math.max(top, served)

-- A process that could not finish may have restored more than this process knows. If neither of the two states contains
-- the other, the combined state gets a new id, so that clients receive it.
local function complete(stored, active, idle, hidden, isDeactivated, id)
  local storedActive, storedIdle, storedHidden, isStoredDeactivated = unpackTimes(stored)
  local storedId = struct.unpack('>I7', stored)
  local isMore, newActive, newIdle, newHidden = combine(storedActive, storedIdle, storedHidden, active, idle, hidden)
  if storedId <= id then
    isMore = newActive ~= active or newIdle ~= idle or newHidden ~= hidden
  else
    id, isDeactivated = storedId, isStoredDeactivated
  end
  return newActive, newIdle, newHidden, isDeactivated, isMore and nextId() or id
end

while position <= #packed do
  local user, active, idle, joined, hidden, isDeactivated, id = nextEntry()
  local stored = redis.call('HGET', entries, user)
  if stored then
    active, idle, hidden, isDeactivated, id = complete(stored, active, idle, hidden, isDeactivated, id)
  end
  redis.call('HSET', entries, user, packEntry(id, packTimes(active, idle, joined, hidden, isDeactivated)))
  top = math.max(top, id)
end
redis.call('HSET', meta, 'top', integer(top))
if isLast then
  redis.call('HSET', meta, 'epoch', ARGV[6], 'chain', ARGV[6])
end
return finish()
