/**
 * Returns the stem of a file name for a title: letters and digits of any script, in lower case, joined by hyphens.
 * Never empty.
 */
export function toSlug(title: string): string {
  const parts =
    title
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return fileNamePart(parts.join("-")).replace(/-+$/, "") || "plan";
}

/**
 * Returns a readable file name for a title, without characters that file systems or note links do not allow. Never
 * empty.
 */
export function toFileTitle(title: string): string {
  const text = title
    .replace(/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*#^[\]]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "");
  return fileNamePart(text).trim() || "Plan";
}

/** Truncates a text to a number of code points, so that no character is split. */
export function shortened(text: string, length: number): string {
  // A code point has at most two UTF-16 units; the slice avoids splitting a very long text into characters.
  return Array.from(text.slice(0, 2 * length))
    .slice(0, length)
    .join("");
}

/**
 * Truncates a text to 60 characters and 180 bytes, which leaves room for an extension within the 255 bytes of most
 * file systems.
 */
function fileNamePart(text: string): string {
  let part = shortened(text, 60);
  while (Buffer.byteLength(part) > 180) part = shortened(part, Array.from(part).length - 1);
  return part;
}
