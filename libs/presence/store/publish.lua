--[[
  The common beginning of report.lua and restore.lua. It is put before each of them when they are loaded.

  KEYS[1]  entries  hash: user id -> packed entry
  KEYS[2]  stream   of the realm's changes, bounded by the number of its users
  KEYS[3]  meta     hash: epoch, top (the last update id), chain (a hash of all changes up to that)
  ARGV[1]  servedId the highest update id that the calling process has served
  ARGV[2]  going invisible moves the idle time back by at least this many seconds
  ARGV[3]  and the active time by this many
  ARGV[4]  how far a time may be ahead of the clock of Redis, in seconds; see rules/merge.rules.ts

  Provides: epoch (false if the realm must be restored), top, chain, isClockBehind, upToNow(), and publish(),
  which gives a state the next id, writes it and appends it to the stream. The caller ends with saveTop().
  The packed layouts are those of store/packed.ts.

  Ids alone do not distinguish two histories. A server that lost its last writes (a promoted replica that lagged, or a
  server that was restarted from an old dump) may allocate the same ids to other changes. Therefore each change names the
  hash of all changes before it, as a commit names its parent. A process with another hash has changes that Redis has
  lost, and reloads the realm. This needs neither INFO nor ROLE, which some accounts may not call.
]]
-- Changes kept per user: about half a minute at the usual rate. A process reads many times in that time.
local STREAM_PER_USER = 0.5
local LEAST_STREAM, MOST_STREAM = 256, 16384
-- A process with a wrong servedId must not move the ids further ahead than this.
local MOST_AHEAD_US = 300 * 1000000

local entries, stream, meta = KEYS[1], KEYS[2], KEYS[3]
local hiddenIdleSeconds, hiddenActiveSeconds = tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local latest = tonumber(time[1]) + tonumber(ARGV[4])
local state = redis.call('HMGET', meta, 'epoch', 'top', 'chain')
local epoch, top, chain = state[1] and tonumber(state[1]), tonumber(state[2] or 0), tonumber(state[3] or 0)
-- A realm without a hash was written by an earlier release; its history cannot be continued.
epoch = state[3] and epoch
local served = math.min(tonumber(ARGV[1]), now + MOST_AHEAD_US)
local isClockBehind = now <= top

-- Default formatting would round an id to 14 digits.
local function integer(number)
  return string.format('%.0f', number)
end

-- Reduces a time that a wrong clock has set.
local function upToNow(at)
  return math.min(at, latest)
end

-- Bits of the first byte: the fields that follow the idle time.
local HAS_ACTIVE, HAS_JOINED, HAS_HIDDEN, IS_DEACTIVATED = 1, 2, 4, 8

local function packTimes(active, idle, joined, hidden, isDeactivated)
  local form, more = 0, ''
  if active == 0 then
    form, more = HAS_JOINED, struct.pack('>I4', joined)
  elseif active ~= idle then
    form, more = HAS_ACTIVE, struct.pack('>I4', active)
  end
  if hidden > 0 then
    form, more = form + HAS_HIDDEN, more .. struct.pack('>I4', hidden)
  end
  if isDeactivated then
    form = form + IS_DEACTIVATED
  end
  return struct.pack('>BI4', form, idle) .. more
end

local function packEntry(id, times)
  return struct.pack('>I7', id) .. times
end

-- Returns active, idle, hidden and isDeactivated as stored. An older release may have stored times that are ahead of the
-- clock.
local function unpackTimes(entry)
  local form, idle, position = struct.unpack('>BI4', entry, 8)
  local active, hidden, isDeactivated = idle, 0, form >= IS_DEACTIVATED
  if isDeactivated then
    form = form - IS_DEACTIVATED
  end
  if form >= HAS_HIDDEN then
    hidden = struct.unpack('>I4', entry, #entry - 3)
    form = form - HAS_HIDDEN
  end
  if form == HAS_ACTIVE then
    active = struct.unpack('>I4', entry, position)
  elseif form == HAS_JOINED then
    active = 0
  end
  return active, idle, hidden, isDeactivated
end

-- Every id is above the previous one and above all ids that the caller has served, even after Redis lost its data or its
-- clock was set back.
local function nextId()
  return math.max(top + 1, now, served + 1)
end

local function publish(user, active, idle, joined, hidden, isDeactivated)
  local id = nextId()
  local times = packTimes(active, idle, joined, hidden, isDeactivated)
  local change = struct.pack('>I4I4I7', user, chain, top) .. times
  redis.call('XADD', stream, integer(id) .. '-0', 'c', change)
  redis.call('HSET', entries, user, packEntry(id, times))
  top = id
  chain = tonumber(string.sub(redis.sha1hex(change .. integer(id)), 1, 8), 16)
  return id
end

local function saveTop()
  redis.call('HSET', meta, 'top', integer(top), 'chain', integer(chain))
  local length = redis.call('HLEN', entries) * STREAM_PER_USER
  length = math.min(MOST_STREAM, math.max(LEAST_STREAM, math.floor(length)))
  redis.call('XTRIM', stream, 'MAXLEN', '~', length)
end

