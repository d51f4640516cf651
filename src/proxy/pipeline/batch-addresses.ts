import type { StreamFilter } from "../upstream/relay-task.ts";

/** Maximum bytes of a searched response; longer ones pass unchanged. A page of 1,000 batches takes about 1 MB. */
const MAX_SEARCHED = 16 * 1024 * 1024;
const RESULTS = /("results_url"\s*:\s*")https?:\/\/[^"]*\/messages\/batches\/([^"/?]+)\/results(?=["?])/g;

/** Returns whether the response at this path can contain addresses of batch results. */
export function hasBatchAddresses(path: string): boolean {
  return path.startsWith("/v1/messages/batches") && !path.endsWith("/results");
}

/**
 * Creates a filter that rewrites the addresses of results to point to the proxy, whose origin is `own`: Anthropic's
 * SDKs request results with the client's key, which the vendor does not know.
 */
export function createBatchFilter(own: string): StreamFilter {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    push(bytes) {
      if (size > MAX_SEARCHED) return bytes;
      chunks.push(bytes);
      size += bytes.length;
      if (size <= MAX_SEARCHED) return Buffer.alloc(0);
      const all = Buffer.concat(chunks);
      chunks = [];
      return all;
    },
    end() {
      const text = Buffer.concat(chunks).toString("latin1");
      return Buffer.from(text.replace(RESULTS, `$1${own}/v1/messages/batches/$2/results`), "latin1");
    },
  };
}
