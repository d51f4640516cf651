/**
 * Returns the paths of images in a plan, in Markdown or HTML syntax, without URLs of other hosts. No part of a
 * pattern matches beyond the next opening delimiter, which prevents ReDoS.
 */
export function namedImages(plan: string): string[] {
  const markdown = plan.matchAll(/!\[[^[\]]*\]\(\s*(?:<([^<>\n]+)>|([^)\s]+))/g);
  const html = plan.matchAll(/<img\b[^<>]*?\bsrc\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')/gi);
  const paths = [...markdown, ...html].map((match) => match[1] ?? match[2] ?? "");
  return [...new Set(paths.filter((path) => path && !/^(?!file:)[a-z][a-z0-9+.-]+:|^\/\//i.test(path)))];
}
