import type { Script } from '../../platform/index.js';
import { BANS_TO_REMEMBER, FIRST_BAN_SECONDS, LONGEST_BAN_SECONDS } from '../windows/ban-record.js';
import { DAY_SECONDS, MINUTE_SECONDS, STEP_BACK_SECONDS } from '../windows/usage.js';

/*
 * The rules of Usage, BanRecord and RouteUsage as Lua scripts, on the clock of Redis. Times are whole seconds of Unix time.
 * A decision is {outcome, limit, length of its window, remaining, reset, retry after}; the outcome is an index of OUTCOMES.
 * Keys expire after their contents have ended, plus the time by which the clock can step back.
 */

/** ARGV[1] is the time, or empty to use the clock of Redis. */
const CLOCK = `
local ADMITTED, LIMITED, BANNED = 0, 1, 2
local now = tonumber(ARGV[1]) or tonumber(redis.call('TIME')[1])

local function isOpen(start, length)
  local age = now - start
  return age < length and age >= -${STEP_BACK_SECONDS}
end

local function refused(outcome, limit, length, reset)
  return {outcome, limit, length, 0, reset, math.max(1, reset - now)}
end
`;

/** KEYS[1] holds both windows; ARGV[2] and ARGV[3] are the limits of a minute and of a day. */
const USAGE = `
local perMinute, perDay = tonumber(ARGV[2]), tonumber(ARGV[3])
local usage = redis.call('HMGET', KEYS[1], 'minuteStart', 'minuteUsed', 'dayStart', 'dayUsed')
local minuteStart, minuteUsed = tonumber(usage[1] or 0), tonumber(usage[2] or 0)
local dayStart, dayUsed = tonumber(usage[3] or 0), tonumber(usage[4] or 0)
if not isOpen(minuteStart, ${MINUTE_SECONDS}) then minuteStart, minuteUsed = now, 0 end
if not isOpen(dayStart, ${DAY_SECONDS}) then dayStart, dayUsed = now - now % ${DAY_SECONDS}, 0 end
local minuteLeft, minuteEnd = perMinute - minuteUsed, minuteStart + ${MINUTE_SECONDS}
local dayLeft, dayEnd = perDay - dayUsed, dayStart + ${DAY_SECONDS}

local function decide(taking)
  if minuteLeft > 0 and dayLeft > 0 then
    if minuteLeft < dayLeft then return {ADMITTED, perMinute, ${MINUTE_SECONDS}, minuteLeft - taking, minuteEnd, 0} end
    return {ADMITTED, perDay, ${DAY_SECONDS}, dayLeft - taking, dayEnd, 0}
  end
  if minuteLeft <= 0 and (dayLeft > 0 or minuteEnd > dayEnd) then
    return refused(LIMITED, perMinute, ${MINUTE_SECONDS}, minuteEnd)
  end
  return refused(LIMITED, perDay, ${DAY_SECONDS}, dayEnd)
end

local function count()
  redis.call('HSET', KEYS[1], 'minuteStart', minuteStart, 'minuteUsed', minuteUsed + 1, 'dayStart', dayStart, 'dayUsed', dayUsed + 1)
  if minuteUsed == 0 or dayUsed == 0 then
    redis.call('EXPIRE', KEYS[1], dayEnd - now + ${MINUTE_SECONDS + STEP_BACK_SECONDS})
  end
end
`;

/** KEYS[2] holds the bans of the key; ARGV[4] is the last lift of its bans, in Unix milliseconds, or 0. */
const BANS = `
local lifted = tonumber(ARGV[4])
local bans = redis.call('HMGET', KEYS[2], 'strikesStart', 'strikes', 'bannedUntil', 'banStarts')
local strikesStart, strikes = tonumber(bans[1] or 0), tonumber(bans[2] or 0)
local bannedUntil, banStarts = tonumber(bans[3] or 0), bans[4] or ''

local function isLifted(start)
  return start * 1000 <= lifted
end

if not isOpen(strikesStart, ${MINUTE_SECONDS}) or isLifted(strikesStart + 1) then strikes = 0 end
local lastStart = tonumber(string.match(banStarts, '%d+$'))
local isBanned = lastStart and not isLifted(lastStart) and isOpen(lastStart, bannedUntil - lastStart)
`;

/** ARGV[5] is the key. Its requests in the account's windows are a field beside them. */
const KEY = `
local keyField = 'key:' .. ARGV[5]
local keyUsage = redis.call('HGET', KEYS[1], keyField) or '0 0 0 0'
local keyMinuteStart, keyMinuteUsed, keyDayStart, keyDayUsed = string.match(keyUsage, '(%d+) (%d+) (%d+) (%d+)')
keyMinuteUsed, keyDayUsed = tonumber(keyMinuteUsed), tonumber(keyDayUsed)
if tonumber(keyMinuteStart) ~= minuteStart then keyMinuteUsed = 0 end
if tonumber(keyDayStart) ~= dayStart then keyDayUsed = 0 end
`;

const STRIKE = `
if isBanned then return refused(BANNED, perMinute, ${MINUTE_SECONDS}, bannedUntil) end
local decision = decide(1)
if decision[1] == ADMITTED then
  count()
  redis.call('HSET', KEYS[1], keyField, table.concat({minuteStart, keyMinuteUsed + 1, dayStart, keyDayUsed + 1}, ' '))
  return decision
end

if strikes == 0 then strikesStart = now end
strikes = strikes + 1
if strikes >= perMinute then
  strikes = 0
  local starts = {}
  for start in string.gmatch(banStarts, '%d+') do
    if isOpen(tonumber(start), ${DAY_SECONDS}) and not isLifted(tonumber(start)) then table.insert(starts, start) end
  end
  bannedUntil = now + math.min(${LONGEST_BAN_SECONDS}, ${FIRST_BAN_SECONDS} * 2 ^ #starts)
  table.insert(starts, now)
  banStarts = table.concat(starts, ' ', math.max(1, #starts - ${BANS_TO_REMEMBER - 1}))
  decision = refused(BANNED, perMinute, ${MINUTE_SECONDS}, bannedUntil)
end
redis.call('HSET', KEYS[2], 'strikesStart', strikesStart, 'strikes', strikes, 'bannedUntil', bannedUntil, 'banStarts', banStarts)
redis.call('EXPIRE', KEYS[2], ${DAY_SECONDS + STEP_BACK_SECONDS})
return decision
`;

/** The rest is below 0 if the limit was lowered. */
const REPORT = `
minuteLeft, dayLeft = math.max(0, minuteLeft), math.max(0, dayLeft)
return {minuteLeft, minuteEnd, dayLeft, dayEnd, strikes, isBanned and bannedUntil or 0, keyMinuteUsed, keyDayUsed}
`;

/** ARGV[4] is 1 to take a request, or 0 to peek. */
const TAKE = `
local taking = tonumber(ARGV[4])
local decision = decide(taking)
if taking == 1 and decision[1] == ADMITTED then count() end
return decision
`;

/** KEYS[1] holds the window; ARGV[2] is the limit, ARGV[3] the length in seconds. */
const ROUTE = `
local limit, length = tonumber(ARGV[2]), tonumber(ARGV[3])
local window = redis.call('HMGET', KEYS[1], 'start', 'used')
local start, used = tonumber(window[1] or 0), tonumber(window[2] or 0)
if not isOpen(start, length) then start, used = now, 0 end
if used >= limit then return refused(LIMITED, limit, length, start + length) end
redis.call('HSET', KEYS[1], 'start', start, 'used', used + 1)
if used == 0 then redis.call('EXPIRE', KEYS[1], length + ${STEP_BACK_SECONDS}) end
return {ADMITTED, limit, length, limit - used - 1, start + length, 0}
`;

export const OUTCOMES = ['admitted', 'limited', 'banned'] as const;

/** KEYS: windows of the account, bans of the key. ARGV: time, limit of a minute, of a day, last lift of bans, the key. */
export const ADMIT: Script = { numberOfKeys: 2, lua: CLOCK + USAGE + BANS + KEY + STRIKE };

/** Like ADMIT without counting. Returns rest and end of minute and day, strikes, end of the ban, requests of the key. */
export const PEEK: Script = { numberOfKeys: 2, lua: CLOCK + USAGE + BANS + KEY + REPORT };

/** KEYS: windows of the address. ARGV: time, limit of a minute, of a day, 1 or 0. */
export const ADMIT_ADDRESS: Script = { numberOfKeys: 1, lua: CLOCK + USAGE + TAKE };

/** KEYS: the window. ARGV: time, limit, length in seconds. */
export const TAKE_FROM_ROUTE: Script = { numberOfKeys: 1, lua: CLOCK + ROUTE };
