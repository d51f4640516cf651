/** A caller's name as a sentence begins with it: "the command line" is no proper name. */
export function sentenceStart(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
