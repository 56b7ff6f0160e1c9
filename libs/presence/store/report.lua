--[[
  Merges reports of one realm into its state. Compares each report with the stored entry. If the report changes the entry,
  allocates an id, writes the entry and appends the change to the stream.
  The rules are those of rules/merge.rules.ts. Reported and stored times that are ahead of the clock of Redis are reduced
  first; a stored entry that was ahead is written again.
  Begins with publish.lua, which documents KEYS and ARGV[1] to ARGV[4].

  ARGV[5]  a report within this many seconds of the stored value changes nothing
  ARGV[6]  the reports, packed one after another: user, kind (0 merge, 1 show, 2 hide, 3 republish,
           4 deactivate, 5 reactivate), active (0 for none), idle, joined

  Result   {} if the realm has no epoch: nothing was changed, and the realm must be restored first;
           else { epoch, 1 if the clock is behind the last id or 0, the number of reports ahead of the clock,
                  the last id before this call, the chain up to it, then for each change: user, active, idle, joined,
                  hidden, 1 if deactivated or 0, id, the chain up to it }
]]
local updateMinimumSeconds = tonumber(ARGV[5])

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

-- A repeated or late change does not replace a later one.
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
  local active, idle, hidden, isDeactivated, isAhead = 0, 0, 0, false, false
  if stored then
    active, idle, hidden, isDeactivated = unpackTimes(stored)
    isAhead = math.max(active, idle, hidden) > latest
    active, idle, hidden = upToNow(active), upToNow(idle), upToNow(hidden)
  end
  if kind < 3 then
    local newActive, newIdle, newHidden = newTimes(kind, active, idle, hidden, reportedActive, reportedIdle)
    if newActive then
      return newActive, newIdle, newHidden, isDeactivated
    end
  elseif stored and kind == 3 then
    return active, idle, hidden, isDeactivated
  elseif stored and kind > 3 and isDeactivated ~= (kind == 4) then
    return active, idle, hidden, kind == 4
  end
  if isAhead then
    return active, idle, hidden, isDeactivated
  end
end

local COUNT_AHEAD, HEAD = 3, 5
local result = { epoch, isClockBehind and 1 or 0, 0, top, chain }
local reports, position = ARGV[6], 1
while position <= #reports do
  local user, kind, reportedActive, reportedIdle, joined
  user, kind, reportedActive, reportedIdle, joined, position =
    struct.unpack('>I4BI4I4I4', reports, position)
  if kind < 3 and math.max(reportedActive, reportedIdle) > latest then
    result[COUNT_AHEAD] = result[COUNT_AHEAD] + 1
    reportedActive, reportedIdle = upToNow(reportedActive), upToNow(reportedIdle)
  end
  joined = upToNow(joined)
  local stored = redis.call('HGET', entries, user)
  local active, idle, hidden, isDeactivated = apply(stored, kind, reportedActive, reportedIdle)
  if active then
    local id = publish(user, active, idle, joined, hidden, isDeactivated)
    local deactivated = isDeactivated and 1 or 0
    for _, value in ipairs({ user, active, idle, joined, hidden, deactivated, id, chain }) do
      result[#result + 1] = value
    end
  end
end
if #result > HEAD then
  saveTop()
end
return result
