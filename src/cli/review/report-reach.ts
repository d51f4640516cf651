import type { Output } from "../output.ts";
import type { Opening } from "./browser.ts";
import { isBeyondLoopback } from "./listen.ts";
import type { ReviewOptions } from "./options.ts";
import { reachableUrls, tunnelCommand } from "./reach.ts";

/** Reports how to open the review on another machine: tunnel, forwarded port, addresses and, with `--qr`, a QR code. */
export async function reportReach(
  options: ReviewOptions,
  opening: Opening,
  port: number,
  output: Output,
): Promise<void> {
  const urls = reachableUrls(options, port);
  for (const { url, by } of urls)
    output.note(
      by === "codespace" ? `In your browser: ${url}` : `From another device (${by}): ${url}`,
      "essential",
    );
  if (opening.how === "not" && opening.isForwarded && urls.length === 0)
    output.note(
      `Your editor forwards port ${port}: open the URL in the browser of your own machine.`,
      "essential",
    );
  if (opening.tunnel) await reportTunnel(options.dataDirectory, port, output);
  if (isBeyondLoopback(options.host)) {
    output.note(`Warning: also reachable at ${options.host}. Anyone who can connect can read and decide.`);
  }
  if (!options.qr) return;
  const [best] = urls;
  if (!best) {
    output.note("No QR code: only this machine can open the review. Listen on an address with --host.");
    return;
  }
  const { drawQrCode, encodeQrCode } = await import("./qr-code.ts");
  for (const line of drawQrCode(encodeQrCode(best.url)).split("\n")) output.note(line, "essential");
}

/** Reports the command that forwards a port, and the ports of all open reviews, to the person's machine. */
export async function reportTunnel(dataDirectory: string, port: number, output: Output): Promise<void> {
  const { listRunning } = await import("../../review/live/running-files.ts");
  const others = await listRunning(dataDirectory).catch(() => []);
  const ports = [port, ...others.map((review) => review.port)];
  output.note(`From your own machine: ${tunnelCommand(ports)}`, "essential");
}
