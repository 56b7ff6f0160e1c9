--[[
  Merges reports of one realm into its state: compares each with the stored entry and, where it
  changes something, allocates an id, writes the entry and appends the change to the stream.
  The rules are those of state/merge.rules.ts. Begins with publish.lua; KEYS and ARGV[1] to ARGV[3] are there.

  ARGV[4]  a report within so many seconds of the stored value changes nothing
  ARGV[5]  the reports, packed one after another: user, kind (0 merge, 1 show, 2 hide, 3 republish,
           4 deactivate, 5 reactivate), active (0 for none), idle, joined

  Result   {} when the realm has no epoch: nothing was done, and the realm has to be restored first
           else { epoch, 1 if the clock is behind the last id or 0, the last id before this call,
                  then for each change: user, active, idle, joined, hidden, 1 if deactivated or 0, id }
]]
local updateMinimumSeconds = tonumber(ARGV[4])

if not epoch then
  return {}
end

local function merge(active, idle, hidden, reportedActive, reportedIdle)
  if reportedIdle <= hidden then
    return nil
  end
  local newActive, newIdle = active, idle
  if reportedActive - active > updateMinimumSeconds then
    newActive = reportedActive
  end
  if reportedIdle - idle > updateMinimumSeconds then
    newIdle = reportedIdle
  end
  newIdle = math.max(newIdle, newActive)
  if newActive == active and newIdle == idle then
    return nil
  end
  return newActive, newIdle, hidden
end

-- Written again, or late, after a later change of the same: that one holds.
local function show(active, idle, hidden, at)
  if at < hidden then
    return nil
  end
  local newActive = math.max(active, at)
  return newActive, math.max(idle, newActive), at
end

local function hide(active, hidden, at)
  if at < hidden then
    return nil
  end
  local newActive = math.min(active, math.max(0, at - hiddenActiveSeconds))
  return newActive, math.max(0, at - hiddenIdleSeconds), at
end

local function newTimes(kind, active, idle, hidden, reportedActive, reportedIdle)
  if kind == 0 then
    return merge(active, idle, hidden, reportedActive, reportedIdle)
  elseif kind == 1 then
    return show(active, idle, hidden, reportedIdle)
  end
  return hide(active, hidden, reportedIdle)
end

local function apply(stored, kind, reportedActive, reportedIdle)
  local active, idle, hidden, isDeactivated = 0, 0, 0, false
  if stored then
    active, idle, hidden, isDeactivated = unpackTimes(stored)
  end
  if kind < 3 then
    active, idle, hidden = newTimes(kind, active, idle, hidden, reportedActive, reportedIdle)
    return active, idle, hidden, isDeactivated
  elseif stored and kind == 3 then
    return active, idle, hidden, isDeactivated
  elseif stored and isDeactivated ~= (kind == 4) then
    return active, idle, hidden, kind == 4
  end
end

local result = { epoch, isClockBehind and 1 or 0, top }
local reports, position = ARGV[5], 1
while position <= #reports do
  local user, kind, reportedActive, reportedIdle, joined
  user, kind, reportedActive, reportedIdle, joined, position =
    struct.unpack('>I4BI4I4I4', reports, position)
  local stored = redis.call('HGET', entries, user)
  local active, idle, hidden, isDeactivated = apply(stored, kind, reportedActive, reportedIdle)
  if active then
    local id = publish(user, active, idle, joined, hidden, isDeactivated)
    local deactivated = isDeactivated and 1 or 0
    for _, value in ipairs({ user, active, idle, joined, hidden, deactivated, id }) do
      result[#result + 1] = value
    end
  end
end
if #result > 3 then
  saveTop()
end
return result
