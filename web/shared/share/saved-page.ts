import { escaped } from "../../../src/render/markdown/markdown-html.ts";

/** The template of a saved page, as web/one-file.ts builds it. */
export interface PageTemplate {
  readonly url: string;
  /** The comment that the data replaces. */
  readonly placeholder: string;
  /** The title that the review's title replaces. */
  readonly title: string;
  /** Id of the element that contains the data. */
  readonly element: string;
}

/** Returns a saved page with a review in it. Throws if the template cannot be loaded. */
export async function createSavedPage(
  { url, placeholder, title, element }: PageTemplate,
  review: { readonly title: string },
): Promise<Blob> {
  const template = await (await fetch(url, { cache: "no-store" })).text();
  if (!template.includes(placeholder)) throw new Error("this server does not provide the template");
  // `<` is escaped, so that no text of a review can close the script element.
  const json = JSON.stringify(review).replaceAll("<", "\\u003c");
  const page = template
    .replace(placeholder, () => `<script type="application/json" id="${element}">${json}</script>`)
    .replace(`<title>${title}</title>`, () => `<title>${escaped(review.title)}</title>`);
  return new Blob([page], { type: "text/html" });
}

/**
 * Returns the JSON in the element of a saved page; any other text is treated as a comments file and returned
 * unchanged.
 */
export function extractJson(text: string, element: string): string {
  const pattern = new RegExp(`<script type="application/json" id="${element}">([\\s\\S]*?)</script>`);
  return pattern.exec(text)?.[1] ?? text;
}

/** Loads images as data URLs, with the keys of `urls`. Leaves out images that cannot be loaded. */
export async function loadImages(urls: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const loaded = await Promise.all([...urls].map(async ([name, url]) => [name, await dataUrl(url)] as const));
  return Object.fromEntries(loaded.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function dataUrl(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url);
    if (!response.ok || !response.headers.get("content-type")?.startsWith("image/")) return undefined;
    return await readAsDataUrl(await response.blob());
  } catch {
    return undefined;
  }
}

function readAsDataUrl(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Returns untrusted data if it is an object, or an empty object otherwise. */
export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns the members of untrusted data that are strings; an empty object if the data is not an object. */
export function toTexts(value: unknown): Record<string, string> {
  const entries = Object.entries(toRecord(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(entries);
}
