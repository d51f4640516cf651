/** Compresses text to base64url, for a URL's fragment. */
export async function compress(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return toBase64Url(bytes);
}

/** The error of `decompress` for a text that is too large, with a message to display. */
export class TooLargeError extends Error {}

/** Decompresses the result of `compress`. Throws for invalid data, and `TooLargeError` for more than `limit` bytes. */
export async function decompress(encoded: string, limit = 16 * 1024 * 1024): Promise<string> {
  const bytes = await through(fromBase64Url(encoded), new DecompressionStream("deflate-raw"), limit);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

const TOO_LARGE = "The plan in this link is too large. Ask its sender for a saved page instead.";

async function through(
  input: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const reader = new Blob([input]).stream().pipeThrough(transform).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    length += part.value.length;
    if (length > limit) throw new TooLargeError(TOO_LARGE);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let index = 0; index < bytes.length; index += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(index, index + 0x8000));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
