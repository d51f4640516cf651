import { readFiles } from "../git/file-text.ts";
import type { Snapshot } from "../git/snapshot.ts";

/**
 * A JSON object with the whole patch as its member `rawPatch`, piece by piece: a patch may be larger than any
 * string. Bytes that are not UTF-8 become U+FFFD, as JSON has no other way.
 */
export async function* diffJson(snapshot: Snapshot, members: object): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  yield '{"rawPatch":"';
  for await (const piece of readFiles(snapshot, snapshot.files)) {
    yield escaped(decoder.decode(piece, { stream: true }));
  }
  yield `${escaped(decoder.decode())}",${JSON.stringify(members).slice(1)}`;
}

/** The decoder never cuts a character in two, so each piece is escaped alone. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
