-- Sends the requests of a file (separated by NUL) in turn, and prints what came of it as one line of JSON.
local requests = {}
local last = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for text in file:read("*a"):gmatch("[^%z]+") do
    requests[#requests + 1] = text
  end
  file:close()
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requestsPerSecond":%.1f,"p99Ms":%.3f,"requests":%d,"refused":%d,"broken":%d}',
    summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1e3, summary.requests, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
