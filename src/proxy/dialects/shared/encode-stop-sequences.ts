import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import { acceptedStopSequences } from "../../exchange/stop-sequences.ts";

/** Encodes stop sequences as a list, or as undefined if none is sent. Reports those that are not sent as losses. */
export function encodeStopSequences(
  stop: readonly string[] = [],
  capabilities: Capabilities,
  losses: LossList,
): readonly string[] | undefined {
  const accepted = acceptedStopSequences(stop, capabilities);
  const { acceptsStop, acceptsBlankStop, maxStopSequences } = capabilities;
  if (stop.length > 0 && (!acceptsStop || maxStopSequences === 0))
    losses.add("stop", "Stop sequences dropped: the model does not support them.");
  else {
    const blank = acceptsBlankStop ? 0 : stop.filter((sequence) => sequence.trim() === "").length;
    if (blank > 0)
      losses.add("stop", "Stop sequences that consist of whitespace dropped: the vendor rejects them.");
    if (accepted.length + blank < stop.length)
      losses.add(
        "stop",
        `Stop sequences after the first ${maxStopSequences} dropped: the upstream accepts no more.`,
      );
  }
  return accepted.length === 0 ? undefined : accepted;
}
