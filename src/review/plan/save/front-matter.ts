/**
 * Returns YAML front matter for note apps. Every value from a person is a double-quoted scalar, so that a tag cannot
 * add a member. Source: https://yaml.org/spec/1.2.2/#double-quoted-style
 */
export function frontMatter({ created, tags }: { created: Date; tags: readonly string[] }): string {
  const list = tags.length === 0 ? " []" : `\n${tags.map((tag) => `  - ${quoted(tag)}`).join("\n")}`;
  return `---\ncreated: ${created.toISOString()}\nsource: sallyport\ntags:${list}\n---\n`;
}

/** Returns a string as a double-quoted YAML scalar on one line. JSON's escapes are a subset of YAML's. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
