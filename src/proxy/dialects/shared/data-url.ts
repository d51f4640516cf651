import type { MediaSource } from "../../exchange/parts.ts";

type Base64Source = Extract<MediaSource, { kind: "base64" }>;

/**
 * The bytes a `data:` URL carries (RFC 2397), as base64; undefined for any other URL. Parameters such as a charset
 * are dropped from the media type.
 */
export function parseDataUrl(url: string): Base64Source | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  if (comma < 0) return undefined;
  const [mediaType = "", ...parameters] = url.slice(5, comma).split(";");
  const data = url.slice(comma + 1);
  const isBase64 = parameters.includes("base64");
  return {
    kind: "base64",
    mediaType: mediaType === "" ? "text/plain" : mediaType,
    data: isBase64 ? data : Buffer.from(decodeURIComponent(data)).toString("base64"),
  };
}

export function writeDataUrl(source: Base64Source): string {
  return `data:${source.mediaType};base64,${source.data}`;
}
