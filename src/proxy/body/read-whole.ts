/**
 * Reads a whole stream. Returns undefined if it exceeds `limit` bytes. `onChunk` is called with each chunk and may
 * throw to stop.
 */
export async function readWhole(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  onChunk?: (chunk: Uint8Array, size: number) => void,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) return undefined;
    onChunk?.(chunk, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the beginning of a stream: `limit` bytes or up to a chunk more. If the stream fails, returns the bytes that have
 * arrived.
 */
export async function readUpTo(body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) break;
    }
  } catch {
    // The caller uses the bytes that have arrived.
  }
  return Buffer.concat(chunks);
}
