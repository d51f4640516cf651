/** Capitalizes a caller's name for the start of a sentence, for example "the command line". */
export function sentenceStart(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
