/**
 * The paths of images that a plan names, in Markdown or HTML form; addresses of other hosts are none. Pure. No part of a
 * pattern reaches beyond the next opening sign, so that a plan full of those takes no longer than another.
 */
export function namedImages(plan: string): string[] {
  const markdown = plan.matchAll(/!\[[^[\]]*\]\(\s*(?:<([^<>\n]+)>|([^)\s]+))/g);
  const html = plan.matchAll(/<img\b[^<>]*?\bsrc\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')/gi);
  const paths = [...markdown, ...html].map((match) => match[1] ?? match[2] ?? "");
  return [...new Set(paths.filter((path) => path && !/^(?!file:)[a-z][a-z0-9+.-]+:|^\/\//i.test(path)))];
}
