import type { AudioPart, Dialect, DocumentPart, ImagePart, MediaSource, Origin } from "./parts.ts";

const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s;

/**
 * Converts a URL to a source: a base64 `data:` URL to its bytes, any other URL to a reference. `mediaType` is used if
 * the URL contains no media type.
 */
export function toMediaSource(url: string, mediaType?: string): MediaSource {
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

/** Returns the URL of a source, a `data:` URL for bytes; undefined for a file id at a vendor. */
export function toMediaUrl(source: MediaSource): string | undefined {
  if (source.kind === "base64") return `data:${source.mediaType};base64,${source.data}`;
  return source.kind === "url" ? source.url : undefined;
}

/** Returns `{origin}` for an uploaded file, because its id is valid only at its vendor; `{}` for any other source. */
export function getFileOrigin(
  source: { readonly kind: string },
  dialect: Dialect,
  raw: unknown,
): { readonly origin?: Origin } {
  return source.kind === "file" ? { origin: { dialect, raw } } : {};
}

/** Returns whether a part refers to a file that was uploaded to the vendor of another dialect. */
export function isForeignFile(part: ImagePart | DocumentPart | AudioPart, dialect: Dialect): boolean {
  return part.source.kind === "file" && part.origin !== undefined && part.origin.dialect !== dialect;
}

/** The first bytes of each media type, in base64. */
const signs: readonly (readonly [prefix: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi0", "application/pdf"],
];

/**
 * Returns the media type that the first bytes of base64 data indicate, if they indicate one and the declared type is an
 * image, PDF or `application/octet-stream`; else the declared type. Vendors reject an image whose declared type is
 * wrong. RIFF data is WebP only if an image was declared, because audio can be RIFF too.
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

/** Returns the source with the media type that `sniffMediaType` determines. */
export function withSniffedType(source: MediaSource): MediaSource {
  if (source.kind !== "base64") return source;
  return { ...source, mediaType: sniffMediaType(source.data, source.mediaType) };
}
