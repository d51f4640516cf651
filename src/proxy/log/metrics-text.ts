import { BUCKETS, type CallSeries, type MetricCounts } from "./metrics.ts";

/** Counts in Prometheus' text form, with the names of OpenTelemetry's GenAI conventions. */
export function metricsText({ active, series: all }: MetricCounts): string {
  const lines: string[] = [];
  const labelled = all.map((series) => ({ ...series, labels: labelsOf(series) }));
  const head = (name: string, type: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  head("sallyport_active_calls", "gauge", "Calls being served.");
  lines.push(`sallyport_active_calls ${active}`);
  head("sallyport_calls_total", "counter", "Calls served.");
  for (const { labels, calls } of labelled) lines.push(`sallyport_calls_total{${labels}} ${calls}`);
  head("gen_ai_client_token_usage_total", "counter", "Tokens as the upstreams counted them.");
  for (const { labels, input, output } of labelled) {
    lines.push(`gen_ai_client_token_usage_total{${labels},gen_ai_token_type="input"} ${input}`);
    lines.push(`gen_ai_client_token_usage_total{${labels},gen_ai_token_type="output"} ${output}`);
  }
  head("sallyport_cost_usd_total", "counter", "US dollars, of calls whose price is known.");
  for (const { labels, cost, priced } of labelled)
    if (priced > 0) lines.push(`sallyport_cost_usd_total{${labels}} ${dollars(cost)}`);
  const duration = "gen_ai_server_request_duration_seconds";
  head(duration, "histogram", "From the request's head to the answer's end.");
  for (const { labels, ...series } of labelled)
    histogram(lines, duration, labels, series.duration, series.calls, series.durationSum);
  const first = "gen_ai_server_time_to_first_token_seconds";
  head(first, "histogram", "From the request's head to the upstream's first byte.");
  for (const { labels, ...series } of labelled)
    histogram(lines, first, labels, series.firstByte, series.firstBytes, series.firstByteSum);
  return `${lines.join("\n")}\n`;
}

function labelsOf({ route, model, upstream, status }: CallSeries): string {
  const labels = {
    http_route: route,
    gen_ai_request_model: model,
    sallyport_upstream: upstream,
    http_response_status_code: String(status),
  };
  return Object.entries(labels)
    .map(
      ([name, value]) =>
        `${name}="${value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`))}"`,
    )
    .join(",");
}

/** Without what adding up many small sums has left behind. */
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
