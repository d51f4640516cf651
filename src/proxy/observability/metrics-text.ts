import { BUCKETS, type CallSeries, type MetricCounts } from "./metrics.ts";

/** The path prefix of MCP calls, which are counted separately from model calls. */
const MCP_ROUTE = "/mcp";

/**
 * Formats counts in the Prometheus text format, with the names of OpenTelemetry's GenAI conventions where they define
 * one.
 */
export function metricsText(counts: MetricCounts): string {
  const { active, queued, series: all, refusals, attempts, keys } = counts;
  const lines: string[] = [];
  const labelled = all.map((series) => ({ ...series, labels: formatLabels(series) }));
  const ofModels = labelled.filter(({ route }) => !route.startsWith(MCP_ROUTE));
  const ofTools = labelled.filter(({ route }) => route.startsWith(MCP_ROUTE));
  const withTokens = ofModels.filter(({ input, output }) => input + output > 0);
  const head = (name: string, type: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  const histograms = (name: string, help: string, of: typeof labelled) => {
    head(name, "histogram", help);
    for (const { labels, ...series } of of)
      histogram(lines, name, labels, series.duration, series.calls, series.durationSum);
  };
  head("sallyport_active_calls", "gauge", "Calls being served.");
  lines.push(`sallyport_active_calls ${active}`);
  head("sallyport_queued_calls", "gauge", "Calls that wait for a connection to their upstream.");
  lines.push(`sallyport_queued_calls ${queued}`);
  head("sallyport_calls_total", "counter", "Calls served; error_type is set for failed calls.");
  for (const { labels, calls } of labelled) lines.push(`sallyport_calls_total{${labels}} ${calls}`);
  head(
    "sallyport_refused_requests_total",
    "counter",
    "Requests that were rejected before they became calls.",
  );
  for (const { route, status, errorCode, count } of refusals)
    lines.push(
      `sallyport_refused_requests_total{${text({ http_route: route, http_response_status_code: String(status), error_type: errorCode })}} ${count}`,
    );
  head(
    "sallyport_upstream_attempts_total",
    "counter",
    "Attempts at upstreams, including retries and fallbacks.",
  );
  for (const { upstream, status, errorCode, count } of attempts)
    lines.push(
      `sallyport_upstream_attempts_total{${text({ sallyport_upstream: upstream, http_response_status_code: status === 0 ? "" : String(status), error_type: errorCode })}} ${count}`,
    );
  head("gen_ai_client_token_usage_total", "counter", "Tokens, as reported by the upstreams or estimated.");
  for (const { labels, input, output, cacheRead, cacheWrite, reasoning } of withTokens) {
    const kinds = { input, output, cache_read: cacheRead, cache_write: cacheWrite, reasoning };
    for (const [kind, count] of Object.entries(kinds))
      if (count > 0 || kind === "input" || kind === "output")
        lines.push(`gen_ai_client_token_usage_total{${labels},gen_ai_token_type="${kind}"} ${count}`);
  }
  head("sallyport_cost_usd_total", "counter", "Cost in US dollars of calls with a known price.");
  for (const { labels, cost, priced } of labelled)
    if (priced > 0) lines.push(`sallyport_cost_usd_total{${labels}} ${dollars(cost)}`);
  addKeys(lines, head, keys);
  histograms(
    "gen_ai_server_request_duration_seconds",
    "Duration of model calls, from the request's headers to the end of the response.",
    ofModels,
  );
  const first = "gen_ai_server_time_to_first_token_seconds";
  head(first, "histogram", "Duration from the request's headers to the upstream's first byte, for streams.");
  for (const { labels, ...series } of ofModels)
    if (series.firstBytes > 0)
      histogram(lines, first, labels, series.firstByte, series.firstBytes, series.firstByteSum);
  histograms(
    "sallyport_mcp_request_duration_seconds",
    "Duration of calls to MCP servers, to the end of the response.",
    ofTools,
  );
  return `${lines.join("\n")}\n`;
}

function addKeys(
  lines: string[],
  head: (name: string, type: string, help: string) => void,
  keys: MetricCounts["keys"],
): void {
  const labelled = keys.map((series) => ({
    ...series,
    labels: text({ key: series.key, team: series.team }),
  }));
  head("sallyport_key_calls_total", "counter", "Calls with a key; team is empty for a key without one.");
  for (const { labels, calls } of labelled) lines.push(`sallyport_key_calls_total{${labels}} ${calls}`);
  head("sallyport_key_errors_total", "counter", "Failed calls with a key.");
  for (const { labels, errors } of labelled) lines.push(`sallyport_key_errors_total{${labels}} ${errors}`);
  head("sallyport_key_tokens_total", "counter", "Tokens of calls with a key.");
  for (const { labels, input, output } of labelled)
    for (const [kind, count] of Object.entries({ input, output }))
      lines.push(`sallyport_key_tokens_total{${labels},gen_ai_token_type="${kind}"} ${count}`);
  head(
    "sallyport_key_cost_usd_total",
    "counter",
    "Cost in US dollars of calls with a key and a known price.",
  );
  for (const { labels, cost } of labelled)
    lines.push(`sallyport_key_cost_usd_total{${labels}} ${dollars(cost)}`);
}

function formatLabels({ route, model, upstream, status, errorCode }: CallSeries): string {
  return text({
    http_route: route,
    ...(!route.startsWith(MCP_ROUTE) && { gen_ai_request_model: model }),
    sallyport_upstream: upstream,
    http_response_status_code: String(status),
    ...(errorCode !== "" && { error_type: errorCode }),
  });
}

/** Formats labels as they appear between braces in the text format. */
function text(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(
      ([name, value]) =>
        `${name}="${value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`))}"`,
    )
    .join(",");
}

/** Removes the floating-point error of a sum of many small amounts. */
function dollars(cost: number): number {
  return Math.round(cost * 1_000_000_000) / 1_000_000_000;
}

function histogram(
  lines: string[],
  name: string,
  labels: string,
  buckets: readonly number[],
  count: number,
  sum: number,
): void {
  let below = 0;
  for (const [index, limit] of BUCKETS.entries()) {
    below += buckets[index] ?? 0;
    lines.push(`${name}_bucket{${labels},le="${limit}"} ${below}`);
  }
  lines.push(
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  );
}
