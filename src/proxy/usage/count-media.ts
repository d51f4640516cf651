/** How a vendor counts the tokens of an image: Anthropic by pixels, Google by tiles. */
export type MediaRule = "pixels" | "tiles";

/**
 * Estimates the tokens of an image in base64. At Anthropic, they are width × height / 750 after the longer side is
 * scaled down to 1,568 pixels, and 1,600 at most (https://docs.anthropic.com/en/docs/build-with-claude/vision). At
 * Google, they are 258 for an image of up to 384 × 384 pixels, else 258 for each tile of 768 × 768
 * (https://ai.google.dev/gemini-api/docs/tokens). If the size cannot be read, the result is 1,600 or 258.
 */
export function countImage(data: string, rule: MediaRule): number {
  const size = imageSize(Buffer.from(data.slice(0, 65_536), "base64"));
  if (rule === "tiles") {
    if (!size || (size.width <= 384 && size.height <= 384)) return 258;
    return 258 * Math.ceil(size.width / 768) * Math.ceil(size.height / 768);
  }
  if (!size) return 1_600;
  const scale = Math.min(1, 1_568 / Math.max(size.width, size.height));
  return Math.max(1, Math.min(1_600, Math.round((size.width * size.height * scale * scale) / 750)));
}

/**
 * Estimates the tokens of a PDF in base64. At Google, a page has 258 tokens; at Anthropic, its text and its image have
 * about 2,000.
 */
export function countDocument(data: string, rule: MediaRule): number {
  return countPages(Buffer.from(data, "base64").toString("latin1")) * (rule === "tiles" ? 258 : 2_000);
}

/**
 * Counts the page objects of a PDF. If they are compressed, uses the page tree's count, or else estimates by the size.
 */
function countPages(pdf: string): number {
  const pages = pdf.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  if (pages > 0) return pages;
  let most = 0;
  for (const [, count] of pdf.matchAll(/\/Count\s+(\d+)/g)) most = Math.max(most, Number(count));
  return most > 0 ? most : Math.max(1, Math.round(pdf.length / 50_000));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns width and height in pixels from the first bytes of a PNG, GIF, WebP or JPEG; undefined for other formats, or
 * if the bytes do not contain the size.
 */
export function imageSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString("latin1", 0, 3) === "GIF")
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.toString("latin1", 8, 12) === "WEBP") return webpSize(bytes);
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpegSize(bytes) : undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  const form = bytes.toString("latin1", 12, 16);
  if (form === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === "VP8 ")
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form !== "VP8L") return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Reads the frame header among the segments of a JPEG (ITU T.81, B.2.2). */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
