/**
 * The functions of a limit store as Lua scripts, which Redis runs atomically. Times are read from Redis's clock, so
 * that the clocks of replicas do not matter. Every key has the hash tag `{sallyport}`, so that a cluster keeps the keys
 * together: `s:SUBJECT` rates and calls in flight; `b:SUBJECT:PERIOD:START` money; `r:ID` a reservation; `open` when
 * each reservation lapses; `l:ID` a reservation that has lapsed; `data` an id of this data; `replicas` when each
 * replica was last seen; `cool`, `cooled` cooldowns.
 */
const COMMON = `
local P = '{sallyport}:'
local UNIT = 60000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local nowMs = math.floor(now / 1000)
local DAY = 86400000

-- A bucket drains within a minute. A time further ahead was stored before the clock was set back.
local MINUTE = 60000000

local function drained(level, at, limit)
  if now <= at then return at - now > MINUTE and 0 or level end
  return math.max(0, level - limit * (now - at))
end

local function later(at)
  return at - now > MINUTE and now or math.max(at, now)
end

local function addTokens(subject, limit, units)
  local key = P .. 's:' .. subject
  local h = redis.call('HMGET', key, 'tl', 'tt')
  local at = tonumber(h[2] or '0')
  local level = drained(tonumber(h[1] or '0'), at, limit) + units * UNIT
  redis.call('HSET', key, 'tl', math.max(0, level), 'tt', later(at))
end

local function finish(record, tokens, micros)
  -- Differences from 0: Lua formats the negative of 0 as -0, which Redis rejects.
  for _, s in ipairs(record.s) do
    local key = P .. 's:' .. s[1]
    if redis.call('HINCRBY', key, 'c', 0 - (record.n or 1)) < 0 then redis.call('HSET', key, 'c', 0) end
    redis.call('PEXPIRE', key, DAY)
    if s[2] > 0 then addTokens(s[1], s[2], tokens - record.k) end
  end
  for _, key in ipairs(record.b) do
    redis.call('HINCRBY', key, 'reserved', 0 - record.m)
    redis.call('HINCRBY', key, 'spent', micros)
  end
end

local function lapse()
  local lost = {}
  local due = redis.call('ZRANGEBYSCORE', P .. 'open', '-inf', nowMs, 'LIMIT', 0, 50)
  for _, id in ipairs(due) do
    local raw = redis.call('GET', P .. 'r:' .. id)
    redis.call('ZREM', P .. 'open', id)
    redis.call('DEL', P .. 'r:' .. id)
    if raw then
      local record = cjson.decode(raw)
      finish(record, 0, record.i)
      redis.call('SET', P .. 'l:' .. id, '1', 'PX', DAY)
      lost[#lost + 1] = raw
    end
  end
  return lost
end

local function findAccount(subject, budget)
  local starts = budget.starts
  local at = 1
  for i = 2, #starts - 1 do if starts[i] <= nowMs then at = i end end
  return P .. 'b:' .. subject .. ':' .. budget.period .. ':' .. string.format('%d', starts[at]), starts[at + 1] or -1
end

-- Adds to a field of the accounts of all budgets and returns their keys. Two budgets of one period share an account.
local function addToAccounts(subjects, field, micros)
  local keys, known = {}, {}
  for _, s in ipairs(subjects) do
    for _, b in ipairs(s.budgets) do
      local key, ends = findAccount(s.id, b)
      if not known[key] then
        known[key] = true
        keys[#keys + 1] = key
        redis.call('HINCRBY', key, field, micros)
        if ends > 0 then redis.call('PEXPIREAT', key, ends + 2 * DAY) end
      end
    end
  end
  return keys
end
`;

/**
 * Runs operations of a replica in order. The first argument is JSON: subjects, and operations that name them by their
 * positions; `meta` is the position of the argument with a call's metadata. An operation without `usedMicros` reserves,
 * or only reads if it has no id. An operation with `usedMicros` ends a reservation. The cost of a reservation that is
 * unknown, or that has lapsed (less the amount that was charged then), is charged to the current periods. With `again`,
 * the cost of an unknown reservation is not charged, because an earlier attempt may have ended it. Returns the number
 * of replicas, the lapsed reservations, then the result of each operation: a text if it has failed.
 */
export const BATCH = `${COMMON}
local function reserve(q)
  for _, s in ipairs(q.subjects) do
    local h = redis.call('HMGET', P .. 's:' .. s.id, 'rl', 'rt', 'tl', 'tt', 'c')
    s.rt, s.tt, s.c = tonumber(h[2] or '0'), tonumber(h[4] or '0'), tonumber(h[5] or '0')
    if s.rpm then s.rl = drained(tonumber(h[1] or '0'), s.rt, s.rpm) end
    if s.tpm then s.tl = drained(tonumber(h[3] or '0'), s.tt, s.tpm) end
    for _, b in ipairs(s.budgets) do
      local key, ends = findAccount(s.id, b)
      local a = redis.call('HMGET', key, 'spent', 'reserved')
      b.ends = ends
      b.left = b.micros - tonumber(a[1] or '0') - tonumber(a[2] or '0')
    end
  end

  local ex = {0}
  local function check(limit, test)
    if ex[1] > 0 then return end
    for i, s in ipairs(q.subjects) do
      local budget, retry, never = test(s)
      if budget then ex = {limit, i, budget, retry, never and 1 or 0} return end
    end
  end
  local function overRate(rate, level, units)
    if not rate then return end
    if units > rate then return 1, 60000, true end
    local wait = math.ceil((level + units * UNIT - rate * UNIT) / rate / 1000)
    if wait > 0 then return 1, wait, false end
  end
  local calls = q.calls or 1
  if q.id then
    check(1, function(s)
      if s.concurrency and s.c + calls > s.concurrency then return 1, 0, calls > s.concurrency end
    end)
    check(2, function(s) return overRate(s.rpm, s.rl, calls) end)
    check(3, function(s) return overRate((calls > 0 or q.tokens > 0) and s.tpm, s.tl, q.tokens) end)
    check(4, function(s)
      for i, b in ipairs(s.budgets) do
        if b.left < q.micros then return i, b.ends < 0 and 0 or b.ends - nowMs, q.micros > b.micros end
      end
    end)
    if ex[1] == 0 then
      local record = {m = q.micros, i = q.inputMicros, k = q.tokens, n = calls, s = {}, id = q.id, meta = q.meta and ARGV[q.meta]}
      record.b = addToAccounts(q.subjects, 'reserved', q.micros)
      for i, s in ipairs(q.subjects) do
        local key = P .. 's:' .. s.id
        s.c = s.c + calls
        local fields = {'c', s.c}
        if s.rpm then
          s.rl = s.rl + calls * UNIT
          fields[3], fields[4], fields[5], fields[6] = 'rl', s.rl, 'rt', later(s.rt)
        end
        if s.tpm then
          s.tl = s.tl + q.tokens * UNIT
          local n = #fields
          fields[n + 1], fields[n + 2], fields[n + 3], fields[n + 4] = 'tl', s.tl, 'tt', later(s.tt)
        end
        redis.call('HSET', key, unpack(fields))
        redis.call('PEXPIRE', key, DAY)
        record.s[i] = {s.id, s.tpm or 0}
        for _, b in ipairs(s.budgets) do b.left = b.left - q.micros end
      end
      redis.call('SET', P .. 'r:' .. q.id, cjson.encode(record), 'PX', 7 * DAY)
      redis.call('ZADD', P .. 'open', nowMs + q.lifeMs, q.id)
    end
  end

  local out = ex
  local function rate(limit, level)
    if not limit then return end
    out[#out + 1] = math.max(0, math.floor(limit - level / UNIT))
    out[#out + 1] = math.max(0, math.ceil(level / limit / 1000))
  end
  for _, s in ipairs(q.subjects) do
    rate(s.rpm, s.rl)
    rate(s.tpm, s.tl)
    if s.concurrency then out[#out + 1] = math.max(0, s.concurrency - s.c) end
    for _, b in ipairs(s.budgets) do
      out[#out + 1] = math.max(0, b.left)
      out[#out + 1] = b.ends
    end
  end
  return out
end

local function settle(q)
  local raw = q.id and redis.call('GET', P .. 'r:' .. q.id)
  if raw then
    redis.call('DEL', P .. 'r:' .. q.id)
    redis.call('ZREM', P .. 'open', q.id)
    finish(cjson.decode(raw), q.usedTokens, q.usedMicros)
    return 1
  end
  local hasLapsed = q.id and redis.call('DEL', P .. 'l:' .. q.id) == 1
  if q.again and not hasLapsed then return 0 end
  local charged = hasLapsed and q.inputMicros or 0
  if q.usedMicros - charged ~= 0 then addToAccounts(q.subjects, 'spent', q.usedMicros - charged) end
  return 0
end

local out = {redis.call('ZCARD', P .. 'replicas'), lapse()}
local request = cjson.decode(ARGV[1])
for i, q in ipairs(request.operations) do
  for n, position in ipairs(q.subjects) do q.subjects[n] = request.subjects[position] end
  local isDone, result = pcall(q.usedMicros and settle or reserve, q)
  if not isDone then result = tostring(type(result) == 'table' and result.err or result) end
  out[i + 2] = result
end
return out
`;

/**
 * Records that a replica is running, and renews its reservations. Arguments: the replica's id, then the id and the
 * remaining milliseconds of each reservation. Returns the number of replicas, then the lapsed reservations.
 */
export const RENEW = `${COMMON}
redis.call('ZADD', P .. 'replicas', nowMs, ARGV[1])
redis.call('ZREMRANGEBYSCORE', P .. 'replicas', '-inf', nowMs - 60000)
for i = 2, #ARGV, 2 do redis.call('ZADD', P .. 'open', 'XX', nowMs + ARGV[i + 1], ARGV[i]) end
local lost = lapse()
return {redis.call('ZCARD', P .. 'replicas'), unpack(lost)}
`;

/**
 * Sets the amount that the ledger has for a budget, if the account does not exist. Arguments: key suffix, microdollars,
 * when the account expires (milliseconds since 1970; empty: never), and 1 to raise the amount of an account that has
 * less. Returns 1 if it set the amount, else 0; then the milliseconds since the amount was set, or -1 if it never was.
 */
export const PRIME = `${COMMON}
local key = P .. 'b:' .. ARGV[1]
if redis.call('EXISTS', key) == 1 then
  local lacks = ARGV[2] - (redis.call('HGET', key, 'spent') or 0)
  if ARGV[4] == '1' and lacks > 0 then redis.call('HINCRBY', key, 'spent', lacks) end
  local set = redis.call('HGET', key, 'set')
  return {0, set and nowMs - set or -1}
end
redis.call('HSET', key, 'spent', ARGV[2], 'set', string.format('%.0f', nowMs))
if ARGV[3] ~= '' then redis.call('PEXPIREAT', key, ARGV[3]) end
return {1, 0}
`;

/**
 * Returns the number of replicas, an id that changes when Redis loses its data, then for each account 1 if it exists,
 * else 0. Arguments: an id for data that has none yet, then the accounts' key suffixes.
 */
export const EXAMINE = `
redis.call('SET', '{sallyport}:data', ARGV[1], 'NX')
local out = {redis.call('ZCARD', '{sallyport}:replicas'), redis.call('GET', '{sallyport}:data')}
for i = 2, #ARGV do out[i + 1] = redis.call('EXISTS', '{sallyport}:b:' .. ARGV[i]) end
return out
`;

/**
 * Stores a cooldown for the other replicas; arguments: replica, id, remaining milliseconds (0: it has ended), JSON.
 * `cool` contains the cooldowns by id, `cooled` the time of each one's last change.
 */
export const COOL = `${COMMON}
redis.call('HSET', P .. 'cool', ARGV[2], string.format('%.0f', nowMs + ARGV[3]) .. ' ' .. ARGV[1] .. ' ' .. ARGV[4])
redis.call('ZADD', P .. 'cooled', string.format('%.0f', now), ARGV[2])
redis.call('PEXPIRE', P .. 'cool', DAY)
redis.call('PEXPIRE', P .. 'cooled', DAY)
return 1
`;

/**
 * Returns the time in microseconds since 1970, and the cooldowns that have changed since the time in the argument:
 * remaining milliseconds, replica, JSON. Deletes cooldowns that have not changed for 10 minutes.
 */
export const COOLDOWNS = `${COMMON}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. 'cooled', '-inf', string.format('%.0f', now - 600000000))) do
  redis.call('HDEL', P .. 'cool', id)
  redis.call('ZREM', P .. 'cooled', id)
end
local out = {string.format('%.0f', now)}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. 'cooled', ARGV[1], '+inf')) do
  local ends, by, text = string.match(redis.call('HGET', P .. 'cool', id) or '', '^(%d+) (%S+) (.*)$')
  if ends then
    out[#out + 1] = string.format('%.0f', ends - nowMs)
    out[#out + 1] = by
    out[#out + 1] = text
  end
end
return out
`;
