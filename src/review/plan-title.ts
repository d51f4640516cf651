/** A plan's title: its first heading, else its first line of text. Plain text, one line, at most 120 characters. */
export function planTitle(plan: string): string {
  let fence: string | undefined;
  let firstLine: string | undefined;
  for (const line of plan.split(/\r\n?|\n/)) {
    const opening = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (opening?.startsWith(fence) && line.trim() === opening) fence = undefined;
      continue;
    }
    fence = opening;
    const heading = headingOf(line);
    if (heading) return heading;
    if (!opening) firstLine ??= plain(line) || undefined;
  }
  return firstLine ?? "Plan";
}

/** The text of a heading line, without the signs that may close it. */
function headingOf(line: string): string {
  const text = /^ {0,3}#{1,6}[ \t](.*)$/.exec(line)?.[1]?.trim() ?? "";
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const unclosed = text.slice(0, end);
  return plain(unclosed === "" || /[ \t]$/.test(unclosed) ? unclosed : text);
}

/** A file name's stem from a title: letters and digits of any script, lower case, joined by hyphens. Never empty. */
export function slugOf(title: string): string {
  const words =
    title
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return fileNamePart(words.join("-")).replace(/-+$/, "") || "plan";
}

/** A title as a file name a person reads: what file systems and note links refuse is left out. Never empty. */
export function fileTitleOf(title: string): string {
  const text = title
    .replace(/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*#^[\]]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "");
  return fileNamePart(text).trim() || "Plan";
}

function plain(text: string): string {
  const line = text.replace(/^#+|[*_`~]|\p{Cc}/gu, "").replace(/\s+/g, " ");
  return shortened(line, 120).trim();
}

/** At most 60 characters and 180 bytes, which leaves room for an ending within the 255 of most file systems. */
function fileNamePart(text: string): string {
  let part = shortened(text, 60);
  while (Buffer.byteLength(part) > 180) part = shortened(part, Array.from(part).length - 1);
  return part;
}

/** Cuts by code points, so that no character is halved. */
function shortened(text: string, length: number): string {
  // No code point takes more than two units: a line of megabytes is not taken apart.
  return Array.from(text.slice(0, 2 * length))
    .slice(0, length)
    .join("");
}
