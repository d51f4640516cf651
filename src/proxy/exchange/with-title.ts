import type { DocumentPart } from "./parts.ts";

/** A document's words under its name, for dialects in which it travels as text. */
export function withTitle({ name }: DocumentPart, text: string): string {
  return name === undefined ? text : `${name}\n\n${text}`;
}
