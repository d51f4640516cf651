import type { DocumentPart } from "./parts.ts";

/** Returns a document's text with the document's name above it, for dialects that send documents as text. */
export function withTitle({ name }: DocumentPart, text: string): string {
  return name === undefined ? text : `${name}\n\n${text}`;
}
