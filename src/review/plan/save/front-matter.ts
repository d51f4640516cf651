/**
 * YAML front matter as note applications read it. Every value of a person's is a double-quoted scalar, so that no tag
 * or title can add a member. https://yaml.org/spec/1.2.2/#double-quoted-style
 */
export function frontMatter({ created, tags }: { created: Date; tags: readonly string[] }): string {
  const list = tags.length === 0 ? " []" : `\n${tags.map((tag) => `  - ${quoted(tag)}`).join("\n")}`;
  return `---\ncreated: ${created.toISOString()}\nsource: sallyport\ntags:${list}\n---\n`;
}

/** A string as a double-quoted YAML scalar on one line. JSON's escapes are a subset of YAML's. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
