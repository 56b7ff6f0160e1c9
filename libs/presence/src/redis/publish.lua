--[[
  What report.lua and restore.lua begin with: it is put before each of them when they are loaded.

  KEYS[1]  entries  hash: user id -> packed entry
  KEYS[2]  stream   of the realm's changes, bounded to about STREAM_LENGTH
  KEYS[3]  meta     hash: epoch, top (the last update id)
  ARGV[1]  servedId the highest update id that the calling process has served
  ARGV[2]  how far going invisible moves the idle time back at least, in seconds
  ARGV[3]  and the active time

  Provides: epoch (false when the realm has to be restored), top, isClockBehind, and publish(), which
  gives a state the next id, writes it and appends it to the stream. The caller ends with saveTop().
]]
local STREAM_LENGTH = 8192
-- A process with a broken idea of what it served must not push the ids further ahead than this.
local MOST_AHEAD_US = 300 * 1000000

local entries, stream, meta = KEYS[1], KEYS[2], KEYS[3]
local hiddenIdleSeconds, hiddenActiveSeconds = tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local state = redis.call('HMGET', meta, 'epoch', 'top')
local epoch, top = state[1] and tonumber(state[1]), tonumber(state[2] or 0)
local served = math.min(tonumber(ARGV[1]), now + MOST_AHEAD_US)
local isClockBehind = now <= top

-- Default formatting would round an id to 14 digits.
local function integer(number)
  return string.format('%.0f', number)
end

local function packEntry(active, idle, joined, hidden, id)
  return struct.pack('>I4I4I4I4d', active, idle, joined, hidden, id)
end

-- Every id is above the previous one and above whatever a client of the caller was told, even when
-- Redis lost its data or its clock went back.
local function publish(user, active, idle, joined, hidden)
  local id = math.max(top + 1, now, served + 1)
  local change = struct.pack('>I4I4I4I4I4I4d', user, active, idle, joined, hidden, epoch, top)
  redis.call('XADD', stream, 'MAXLEN', '~', STREAM_LENGTH, integer(id) .. '-0', 'c', change)
  redis.call('HSET', entries, integer(user), packEntry(active, idle, joined, hidden, id))
  top = id
  return id
end

local function saveTop()
  redis.call('HSET', meta, 'top', integer(top))
end

