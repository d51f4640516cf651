import { readFiles } from "../git/file-text.ts";
import type { Snapshot } from "../git/snapshot.ts";

/**
 * Yields a JSON object with the complete patch as its member `rawPatch`, in pieces: a patch can exceed the maximum
 * string length. Bytes that are not UTF-8 become U+FFFD because JSON cannot represent them.
 */
export async function* diffJson(snapshot: Snapshot, members: object): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  yield '{"rawPatch":"';
  for await (const piece of readFiles(snapshot, snapshot.files)) {
    yield escaped(decoder.decode(piece, { stream: true }));
  }
  yield `${escaped(decoder.decode())}",${JSON.stringify(members).slice(1)}`;
}

/** Escapes a piece for a JSON string. The decoder never splits a character, so pieces can be escaped separately. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
