/**
 * Reads a whole stream. Returns undefined if it exceeds `limit` bytes. `onChunk` receives each chunk and the number of
 * bytes so far; an error that it throws stops reading.
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
 * Reads chunks of a stream until they contain `limit` bytes or more. If the stream ends or fails before that, returns
 * the bytes that have arrived.
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
    // Callers read error responses, of which a part is enough.
  }
  return Buffer.concat(chunks);
}
