import type { Script } from '../../platform/redis/redis-client.js';
import { BANS_TO_REMEMBER, FIRST_BAN_SECONDS, LONGEST_BAN_SECONDS } from '../windows/ban-record.js';
import { DAY_SECONDS, MINUTE_SECONDS, STEP_BACK_SECONDS } from '../windows/usage.js';

/*
 * The rules of Usage, BanRecord and FixedWindow as Lua scripts, on the clock of Redis. Times are whole seconds of Unix time.
 * A reply has the time, the end of a ban or 0, and the windows before the request, each as its rest and its end.
 * Keys expire after their contents have ended, plus the time by which the clock can step back.
 */

/** ARGV[1] is the time, or empty to use the clock of Redis. */
const CLOCK = `
local now = tonumber(ARGV[1]) or tonumber(redis.call('TIME')[1])

local function isOpen(start, length)
  local age = now - start
  return age < length and age >= -${STEP_BACK_SECONDS}
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
-- Below 0 if the limit was lowered.
local minuteLeft, minuteEnd = math.max(0, perMinute - minuteUsed), minuteStart + ${MINUTE_SECONDS}
local dayLeft, dayEnd = math.max(0, perDay - dayUsed), dayStart + ${DAY_SECONDS}
local hasQuota = minuteLeft > 0 and dayLeft > 0

local function windows(bannedUntil)
  return {now, bannedUntil, minuteLeft, minuteEnd, dayLeft, dayEnd}
end

local function expiry()
  return dayEnd - now + ${MINUTE_SECONDS + STEP_BACK_SECONDS}
end

local function count()
  redis.call('HSET', KEYS[1], 'minuteStart', minuteStart, 'minuteUsed', minuteUsed + 1, 'dayStart', dayStart, 'dayUsed', dayUsed + 1)
  if minuteUsed == 0 or dayUsed == 0 then redis.call('EXPIRE', KEYS[1], expiry()) end
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

/** KEYS[3] has the requests of the key in the account's windows. Beside them, it would stay as long as the account is used. */
const KEY = `
local keyUsage = redis.call('GET', KEYS[3]) or '0 0 0 0'
local keyMinuteStart, keyMinuteUsed, keyDayStart, keyDayUsed = string.match(keyUsage, '(%d+) (%d+) (%d+) (%d+)')
keyMinuteUsed, keyDayUsed = tonumber(keyMinuteUsed), tonumber(keyDayUsed)
if tonumber(keyMinuteStart) ~= minuteStart then keyMinuteUsed = 0 end
if tonumber(keyDayStart) ~= dayStart then keyDayUsed = 0 end
`;

const STRIKE = `
if isBanned then return windows(bannedUntil) end
if hasQuota then
  count()
  local counts = table.concat({minuteStart, keyMinuteUsed + 1, dayStart, keyDayUsed + 1}, ' ')
  redis.call('SET', KEYS[3], counts, 'EX', expiry())
  return windows(0)
end

local ban = 0
if strikes == 0 then strikesStart = now end
strikes = strikes + 1
if strikes >= perMinute then
  strikes = 0
  local starts = {}
  for start in string.gmatch(banStarts, '%d+') do
    if isOpen(tonumber(start), ${DAY_SECONDS}) and not isLifted(tonumber(start)) then table.insert(starts, start) end
  end
  -- A power is a float, which newer versions of Lua write as such.
  bannedUntil = now + math.floor(math.min(${LONGEST_BAN_SECONDS}, ${FIRST_BAN_SECONDS} * 2 ^ #starts))
  table.insert(starts, now)
  banStarts = table.concat(starts, ' ', math.max(1, #starts - ${BANS_TO_REMEMBER - 1}))
  ban = bannedUntil
end
redis.call('HSET', KEYS[2], 'strikesStart', strikesStart, 'strikes', strikes, 'bannedUntil', bannedUntil, 'banStarts', banStarts)
redis.call('EXPIRE', KEYS[2], ${DAY_SECONDS + STEP_BACK_SECONDS})
return windows(ban)
`;

const REPORT = `
local report = windows(isBanned and bannedUntil or 0)
for _, number in ipairs({strikes, keyMinuteUsed, keyDayUsed}) do table.insert(report, number) end
return report
`;

/** ARGV[4] is 1 to take a request, or 0 to peek. */
const TAKE = `
if ARGV[4] == '1' and hasQuota then count() end
return windows(0)
`;

/** KEYS[1] holds the window; ARGV[2] is the limit, ARGV[3] the length in seconds. */
const WINDOW = `
local limit, length = tonumber(ARGV[2]), tonumber(ARGV[3])
local window = redis.call('HMGET', KEYS[1], 'start', 'used')
local start, used = tonumber(window[1] or 0), tonumber(window[2] or 0)
if not isOpen(start, length) then start, used = now, 0 end
if used < limit then
  redis.call('HSET', KEYS[1], 'start', start, 'used', used + 1)
  if used == 0 then redis.call('EXPIRE', KEYS[1], length + ${STEP_BACK_SECONDS}) end
end
return {now, 0, math.max(0, limit - used), start + length}
`;

/** KEYS: windows of the account, bans of the key, its requests. ARGV: time, limit of a minute, of a day, last lift of bans. */
export const ADMIT: Script = { numberOfKeys: 3, lua: CLOCK + USAGE + BANS + KEY + STRIKE };

/** Like ADMIT without counting. The reply also has the strikes, and the requests of the key in the minute and in the day. */
export const PEEK: Script = { numberOfKeys: 3, lua: CLOCK + USAGE + BANS + KEY + REPORT };

/** KEYS: windows of the address. ARGV: time, limit of a minute, of a day, 1 or 0. */
export const ADMIT_ADDRESS: Script = { numberOfKeys: 1, lua: CLOCK + USAGE + TAKE };

/** KEYS: the window. ARGV: time, limit, length in seconds. */
export const TAKE_FROM_WINDOW: Script = { numberOfKeys: 1, lua: CLOCK + WINDOW };
