--[[
  What report.lua and restore.lua begin with: it is put before each of them when they are loaded.

  KEYS[1]  entries  hash: user id -> packed entry
  KEYS[2]  stream   of the realm's changes, bounded by the number of its users
  KEYS[3]  meta     hash: epoch, top (the last update id), lineage
  ARGV[1]  servedId the highest update id that the calling process has served
  ARGV[2]  how far going invisible moves the idle time back at least, in seconds
  ARGV[3]  and the active time
  ARGV[4]  how far a time may be ahead of the clock of Redis, in seconds; see state/clock.rules.ts

  Provides: epoch (false when the realm has to be restored), top, isClockBehind, upToNow(), and publish(),
  which gives a state the next id, writes it and appends it to the stream. The caller ends with saveTop().
  The packed forms are those of redis/packed.ts.
]]
-- Changes kept for each user: at the usual pace half a minute, in which a process reads many times.
local STREAM_PER_USER = 0.5
local LEAST_STREAM, MOST_STREAM = 256, 16384
-- A process with a broken idea of what it served must not push the ids further ahead than this.
local MOST_AHEAD_US = 300 * 1000000

local entries, stream, meta = KEYS[1], KEYS[2], KEYS[3]
local hiddenIdleSeconds, hiddenActiveSeconds = tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local latest = tonumber(time[1]) + tonumber(ARGV[4])
local state = redis.call('HMGET', meta, 'epoch', 'top', 'lineage')
local epoch, top = state[1] and tonumber(state[1]), tonumber(state[2] or 0)
-- What Redis tells its own histories apart by: another begins with each restart and each promotion.
local lineage = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''
local served = math.min(tonumber(ARGV[1]), now + MOST_AHEAD_US)
local isClockBehind = now <= top

-- Default formatting would round an id to 14 digits.
local function integer(number)
  return string.format('%.0f', number)
end

-- A time that a wrong clock has set must not outlast that clock.
local function upToNow(at)
  return math.min(at, latest)
end

-- In another history an id may have been given before, for a change that was lost with the former one. With
-- a new epoch everybody compares what they know, and not only ids.
if epoch and state[3] ~= lineage then
  epoch = tonumber(string.sub(redis.sha1hex(integer(epoch) .. lineage), 1, 8), 16)
  redis.call('HSET', meta, 'epoch', integer(epoch), 'lineage', lineage)
end

-- What of a state is packed behind its idle time, as bits of the first byte.
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

-- The times of an entry, active, idle and hidden, and whether its user is deactivated. They are as stored: an older
-- release may have stored times that are ahead of the clock.
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

-- Every id is above the previous one and above whatever a client of the caller was told, even when
-- Redis lost its data or its clock went back.
local function publish(user, active, idle, joined, hidden, isDeactivated)
  local id = math.max(top + 1, now, served + 1)
  local times = packTimes(active, idle, joined, hidden, isDeactivated)
  local change = struct.pack('>I4I4I7', user, epoch, top) .. times
  redis.call('XADD', stream, integer(id) .. '-0', 'c', change)
  redis.call('HSET', entries, user, packEntry(id, times))
  top = id
  return id
end

local function saveTop()
  redis.call('HSET', meta, 'top', integer(top))
  local length = redis.call('HLEN', entries) * STREAM_PER_USER
  length = math.min(MOST_STREAM, math.max(LEAST_STREAM, math.floor(length)))
  redis.call('XTRIM', stream, 'MAXLEN', '~', length)
end

