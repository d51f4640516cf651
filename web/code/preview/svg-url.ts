/** Characters of an SVG that is drawn. */
const MAX_LENGTH = 1_000_000;

/**
 * Returns the URL of an SVG for an `img` element, in which browsers run no scripts and load nothing. A data URL, because
 * it has no origin even if the image is opened in a tab. Undefined if the text is absent or too long, or if it declares
 * entities, which can expand to any size.
 */
export function svgUrl(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_LENGTH || /<!ENTITY/i.test(text)) return undefined;
  return `data:image/svg+xml,${encodeURIComponent(text)}`;
}
