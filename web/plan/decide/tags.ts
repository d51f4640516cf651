/** Tags as a person writes them: with commas or blanks between, with or without the sign. */
export function tagsIn(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.replace(/^#+/, ""));
  return [...new Set(tags.filter(Boolean))];
}
