import type { AudioPart, Dialect, DocumentPart, ImagePart, MediaSource, Origin } from "./parts.ts";

const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s;

/** A URL as a source: a base64 `data:` URL becomes its bytes, any other stays a URL. */
export function sourceOfUrl(url: string, mediaType?: string): MediaSource {
  const match = url.startsWith("data:") ? dataUrl.exec(url) : null;
  if (match !== null && match[2]?.split(";").includes("base64") === true) {
    return {
      kind: "base64",
      mediaType: match[1] || mediaType || "application/octet-stream",
      data: match[3] ?? "",
    };
  }
  return mediaType === undefined ? { kind: "url", url } : { kind: "url", url, mediaType };
}

/** A source as a URL, for dialects that write bytes as `data:` URLs; undefined for an id at a vendor. */
export function urlOfSource(source: MediaSource): string | undefined {
  if (source.kind === "base64") return `data:${source.mediaType};base64,${source.data}`;
  return source.kind === "url" ? source.url : undefined;
}

/** Where a medium that is a file at a vendor comes from: its id means something there and to nobody else. */
export function originOfFile(
  source: { readonly kind: string },
  dialect: Dialect,
  raw: unknown,
): { readonly origin?: Origin } {
  return source.kind === "file" ? { origin: { dialect, raw } } : {};
}

/** Whether a part is a file that was uploaded to another vendor than this dialect's. */
export function isForeignFile(part: ImagePart | DocumentPart | AudioPart, dialect: Dialect): boolean {
  return part.source.kind === "file" && part.origin !== undefined && part.origin.dialect !== dialect;
}

/** First bytes, in base64, by which media declare themselves. */
const signs: readonly (readonly [prefix: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi0", "application/pdf"],
];

/**
 * The media type of base64 bytes as their first bytes tell it, else the one declared: vendors refuse an image whose
 * declaration is wrong. RIFF is WebP only where an image was declared.
 */
export function sniffMediaType(data: string, declared: string): string {
  const found = signs.find(([prefix]) => data.startsWith(prefix))?.[1];
  if (found === undefined || (found === "image/webp" && !declared.startsWith("image/"))) return declared;
  return declared.startsWith("image/") ||
    declared === "application/pdf" ||
    declared === "application/octet-stream"
    ? found
    : declared;
}

/** The same source under the type of its first bytes, see `sniffMediaType`. */
export function withSniffedType(source: MediaSource): MediaSource {
  if (source.kind !== "base64") return source;
  return { ...source, mediaType: sniffMediaType(source.data, source.mediaType) };
}
