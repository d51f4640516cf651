import type { DocumentPart } from "./parts.ts";

/** A document's words under its name, for dialects in which it travels as text. */
export function withTitle({ name }: DocumentPart, words: string): string {
  return name === undefined ? words : `${name}\n\n${words}`;
}
