import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/**
 * Calls `onLine` for each line of a stream. Only line feeds end a line: JSON may contain the other separators of
 * Unicode, at which newer versions of `node:readline` split. A line longer than `maxLength` characters is dropped, and
 * `onTooLong` is called once for that line.
 */
export function readLines(
  input: Readable,
  maxLength: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): void {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  let isDropped = false;
  const add = (part: string) => {
    if (isDropped) return;
    length += part.length;
    if (length <= maxLength) {
      parts.push(part);
      return;
    }
    isDropped = true;
    parts = [];
    onTooLong();
  };
  const end = () => {
    const line = parts.join("");
    const isWhole = !isDropped;
    parts = [];
    length = 0;
    isDropped = false;
    if (isWhole) onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  input.on("data", (chunk: Buffer) => {
    const [first = "", ...rest] = decoder.write(chunk).split("\n");
    add(first);
    for (const part of rest) {
      end();
      add(part);
    }
  });
  input.once("end", () => {
    add(decoder.end());
    if (length > 0) end();
  });
}
