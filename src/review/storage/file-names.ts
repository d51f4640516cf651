/** Returns a file name's stem for a title: letters and digits of any script, lower case, joined by hyphens. Never empty. */
export function toSlug(title: string): string {
  const parts =
    title
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return fileNamePart(parts.join("-")).replace(/-+$/, "") || "plan";
}

/** Returns a title as a file name a person reads: what file systems and note links refuse is left out. Never empty. */
export function toFileTitle(title: string): string {
  const text = title
    .replace(/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*#^[\]]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "");
  return fileNamePart(text).trim() || "Plan";
}

/** Cuts a text to a number of code points, so that no character is halved. */
export function shortened(text: string, length: number): string {
  // No code point takes more than two units: a line of megabytes is not taken apart.
  return Array.from(text.slice(0, 2 * length))
    .slice(0, length)
    .join("");
}

/** At most 60 characters and 180 bytes, which leaves room for an ending within the 255 of most file systems. */
function fileNamePart(text: string): string {
  let part = shortened(text, 60);
  while (Buffer.byteLength(part) > 180) part = shortened(part, Array.from(part).length - 1);
  return part;
}
