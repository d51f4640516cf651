// Finds links, images, styles and scripts of a built site whose targets are missing.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Returns each reference to a missing file or heading. */
export function findBrokenLinks(site) {
  const pages = readdirSync(site, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((name) => [resolve(site, name), readFileSync(join(site, name), "utf8")]));
  return [...texts].flatMap(([path, text]) =>
    listReferences(text)
      .filter((href) => !isReachable(href, path, texts))
      .map((href) => ({ page: relative(site, path), href })),
  );
}

function listReferences(html) {
  return [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, href]) => href.replaceAll("&amp;", "&"));
}

function isReachable(href, from, texts) {
  if (/^(https?|mailto|data):/.test(href)) return true;
  const [file, fragment] = href.split("#");
  const path = file === "" ? from : resolve(dirname(from), decodeURIComponent(file));
  if (!existsSync(path)) return false;
  if (!fragment) return true;
  return texts.get(path)?.includes(`id="${decodeURIComponent(fragment)}"`) ?? false;
}
