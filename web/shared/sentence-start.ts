/** Capitalizes the first letter of a text, for the start of a sentence or a heading. */
export function sentenceStart(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
