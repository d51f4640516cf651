import type { CallRecord } from "./request-log.ts";

/** Counters and histograms in Prometheus' text form, with the names of OpenTelemetry's GenAI conventions. */
export interface Metrics {
  begin(): void;
  end(record: CallRecord): void;
  readonly active: number;
  render(): string;
}

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Series beyond this are counted under `other`: model names come from clients. */
const MOST_SERIES = 500;

interface Series {
  readonly labels: string;
  calls: number;
  input: number;
  output: number;
  duration: number[];
  durationSum: number;
  firstByte: number[];
  firstByteSum: number;
  firstBytes: number;
}

export function createMetrics(): Metrics {
  const all = new Map<string, Series>();
  let active = 0;
  let last: { readonly of: CallRecord; readonly series: Series } | undefined;
  const seriesOf = (record: CallRecord): Series => {
    // Calls come in runs of one kind.
    if (last && isAlike(last.of, record)) return last.series;
    const series = findSeries(record);
    last = { of: record, series };
    return series;
  };
  const findSeries = (record: CallRecord): Series => {
    const named = all.size < MOST_SERIES;
    const key = named
      ? `${record.route} ${record.upstream} ${record.upstreamModel} ${record.status}`
      : `other ${record.status}`;
    const known = all.get(key);
    if (known) return known;
    const series: Series = {
      labels: labelsOf(record, named),
      calls: 0,
      input: 0,
      output: 0,
      duration: BUCKETS.map(() => 0),
      durationSum: 0,
      firstByte: BUCKETS.map(() => 0),
      firstByteSum: 0,
      firstBytes: 0,
    };
    all.set(key, series);
    return series;
  };
  return {
    begin() {
      active += 1;
    },
    get active() {
      return active;
    },
    end(record) {
      active -= 1;
      const series = seriesOf(record);
      series.calls += 1;
      series.input += record.usage?.input.total ?? 0;
      series.output += record.usage?.output.total ?? 0;
      series.durationSum += record.ms / 1000;
      observe(series.duration, record.ms / 1000);
      if (record.firstByteMs === undefined) return;
      series.firstBytes += 1;
      series.firstByteSum += record.firstByteMs / 1000;
      observe(series.firstByte, record.firstByteMs / 1000);
    },
    render: () => render([...all.values()], active),
  };
}

/** Whether two calls count in the same series. */
function isAlike(one: CallRecord, other: CallRecord): boolean {
  return (
    one.status === other.status &&
    one.route === other.route &&
    one.upstream === other.upstream &&
    one.upstreamModel === other.upstreamModel
  );
}

function observe(buckets: number[], seconds: number): void {
  const index = BUCKETS.findIndex((limit) => seconds <= limit);
  if (index >= 0) buckets[index] = (buckets[index] ?? 0) + 1;
}

function labelsOf(record: CallRecord, named: boolean): string {
  const labels: Record<string, string> = named
    ? {
        http_route: record.route,
        gen_ai_request_model: record.upstreamModel ?? "",
        sallyport_upstream: record.upstream ?? "",
      }
    : { http_route: "other", gen_ai_request_model: "other", sallyport_upstream: "other" };
  return Object.entries({ ...labels, http_response_status_code: String(record.status) })
    .map(
      ([name, value]) =>
        `${name}="${value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`))}"`,
    )
    .join(",");
}

function render(all: readonly Series[], active: number): string {
  const lines: string[] = [];
  const head = (name: string, type: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  head("sallyport_active_calls", "gauge", "Calls being served.");
  lines.push(`sallyport_active_calls ${active}`);
  head("sallyport_calls_total", "counter", "Calls served.");
  for (const series of all) lines.push(`sallyport_calls_total{${series.labels}} ${series.calls}`);
  head("gen_ai_client_token_usage_total", "counter", "Tokens as the upstreams counted them.");
  for (const series of all) {
    lines.push(`gen_ai_client_token_usage_total{${series.labels},gen_ai_token_type="input"} ${series.input}`);
    lines.push(
      `gen_ai_client_token_usage_total{${series.labels},gen_ai_token_type="output"} ${series.output}`,
    );
  }
  head("gen_ai_server_request_duration_seconds", "histogram", "From the request's head to the answer's end.");
  for (const series of all)
    histogram(
      lines,
      "gen_ai_server_request_duration_seconds",
      series.labels,
      series.duration,
      series.calls,
      series.durationSum,
    );
  head(
    "gen_ai_server_time_to_first_token_seconds",
    "histogram",
    "From the request's head to the upstream's first byte.",
  );
  for (const series of all)
    histogram(
      lines,
      "gen_ai_server_time_to_first_token_seconds",
      series.labels,
      series.firstByte,
      series.firstBytes,
      series.firstByteSum,
    );
  return `${lines.join("\n")}\n`;
}

function histogram(
  lines: string[],
  name: string,
  labels: string,
  buckets: number[],
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
