export type ImageType = "image/png" | "image/jpeg" | "image/webp";

/** Number of bytes that `sniffImage` examines. */
export const SNIFF_BYTES = 14;

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];

/**
 * Returns the type of an image from its first bytes, or undefined if it is not PNG, JPEG or WebP. The file name is
 * ignored. SVG is excluded because it can run scripts. Source:
 * https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
 */
export function sniffImage(head: Uint8Array): ImageType | undefined {
  if (startsWith(head, PNG)) return "image/png";
  if (startsWith(head, JPEG)) return "image/jpeg";
  if (latin(head, 0, 4) === "RIFF" && latin(head, 8, 14) === "WEBPVP") return "image/webp";
  return undefined;
}

/** File extension of each type, without the dot. */
export const imageExtensions: Record<ImageType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

function startsWith(bytes: Uint8Array, pattern: readonly number[]): boolean {
  return pattern.every((byte, index) => bytes[index] === byte);
}

function latin(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
