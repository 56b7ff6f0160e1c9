--[[
  Brings back what Redis has lost of one realm. Any number of processes may call it at the same time.
  Begins with publish.lua; KEYS and ARGV[1] are there.

  Without an epoch the realm is made anew: the entries keep the ids that clients know them by, and the
  realm gets the new epoch. Whatever is left of the realm is dropped first: the meta hash is the proof
  that the rest is whole.

  With an epoch, an entry that is stored older or not at all is published as a change, and so is one that
  is stored with later changes but without what it knows. It does not keep its id then: a client may
  already have been given a cursor above that id, and would never see it.

  ARGV[2]  the entries, packed one after another: user, active, idle, joined, hidden, id
  ARGV[3]  the epoch to give to a realm that has none

  Result   1 when the realm was made anew, 0 when it was there
]]
local packed, position = ARGV[2], 1
local function nextEntry()
  local user, active, idle, joined, hidden, id
  user, active, idle, joined, hidden, id, position =
    struct.unpack('>I4I4I4I4I4d', packed, position)
  return user, active, idle, joined, hidden, id
end

-- What an entry adds to the stored one, or nil. What is from before the user hid stays hidden.
local function repair(stored, active, idle, hidden, id)
  if not stored then
    return active, idle, hidden
  end
  local storedActive, storedIdle, _, storedHidden, storedId = struct.unpack('>I4I4I4I4d', stored)
  if storedId < id then
    return active, idle, hidden
  end
  if idle <= storedHidden then
    active, idle = hide(active, storedHidden)
  end
  if active <= storedActive and idle <= storedIdle then
    return nil
  end
  return math.max(active, storedActive), math.max(idle, storedIdle), storedHidden
end

if epoch then
  while position <= #packed do
    local user, active, idle, joined, hidden, id = nextEntry()
    local stored = redis.call('HGET', entries, integer(user))
    active, idle, hidden = repair(stored, active, idle, hidden, id)
    if active then
      publish(user, active, idle, joined, hidden)
    end
  end
  saveTop()
  return 0
end

redis.call('DEL', entries, stream)
top = math.max(served, 0)
while position <= #packed do
  local user, active, idle, joined, hidden, id = nextEntry()
  redis.call('HSET', entries, integer(user), packEntry(active, idle, joined, hidden, id))
  top = math.max(top, id)
end
redis.call('HSET', meta, 'epoch', ARGV[3], 'top', integer(top))
return 1
