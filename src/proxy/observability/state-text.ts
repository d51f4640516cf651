import { performance } from "node:perf_hooks";
import type { Cooldown } from "../routing/cooldowns.ts";

/** Returns the current cooldowns and the state of the process in the Prometheus text format. */
export function stateText(active: readonly Cooldown[], startedAt: number): string {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { utilization } = performance.eventLoopUtilization();
  const lines = getLatestCooldowns(active).map(
    ([labels, until]) => `sallyport_cooldown_until_seconds{${labels}} ${Math.round(until / 1000)}`,
  );
  return [
    "# HELP sallyport_cooldown_until_seconds Unix time until which an upstream, or one of its keys, is tried last.",
    "# TYPE sallyport_cooldown_until_seconds gauge",
    ...lines,
    ...metric("process_start_time_seconds", "gauge", "Unix time of the proxy's start.", startedAt / 1000),
    ...metric(
      "process_resident_memory_bytes",
      "gauge",
      "Memory of the process that serves this request.",
      rss,
    ),
    ...metric(
      "process_cpu_seconds_total",
      "counter",
      "CPU time of the process that serves this request.",
      (user + system) / 1e6,
    ),
    ...metric(
      "nodejs_heap_size_used_bytes",
      "gauge",
      "Heap of the process that serves this request.",
      heapUsed,
    ),
    ...metric(
      "nodejs_eventloop_utilization",
      "gauge",
      "Share of the time since its start that the event loop has been busy, 0 to 1.",
      Math.round(utilization * 1e4) / 1e4,
    ),
    "",
  ].join("\n");
}

/**
 * Returns the labels of each upstream and key, and when the last of their cooldowns ends, in milliseconds since 1970.
 */
function getLatestCooldowns(active: readonly Cooldown[]): [string, number][] {
  // Models are not labels, because their names come from clients.
  const latest = new Map<string, number>();
  for (const { upstream, key, until } of active) {
    const labels = `sallyport_upstream="${upstream}",sallyport_key="${key ?? ""}"`;
    latest.set(labels, Math.max(until, latest.get(labels) ?? 0));
  }
  return [...latest];
}

function metric(name: string, type: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`];
}
