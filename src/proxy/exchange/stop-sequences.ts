import type { Capabilities } from "./capabilities.ts";

/** Returns the stop sequences that are sent to the upstream. The proxy enforces the others (`enforceLimits`). */
export function acceptedStopSequences(
  stop: readonly string[] = [],
  { acceptsStop, acceptsBlankStop, maxStopSequences }: Capabilities,
): readonly string[] {
  if (!acceptsStop) return [];
  return stop.filter((sequence) => acceptsBlankStop || sequence.trim() !== "").slice(0, maxStopSequences);
}
