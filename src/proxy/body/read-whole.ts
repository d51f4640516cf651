/**
 * Reads a stream of bytes whole. Returns undefined for more than `limit` bytes. `onChunk` sees each chunk first and may
 * throw to end the reading.
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

/** Reads the beginning of a stream of bytes, `limit` bytes or a little more; what came of one that breaks off. */
export async function readAtMost(body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) break;
    }
  } catch {
    // What has come is what there is.
  }
  return Buffer.concat(chunks);
}
