/** A stretch of source, from one offset up to another. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What opens or closes emphasis, code and struck text, which both look alike. */
const BEFORE = /(?:\*\*\*|\*\*|\*|___|__|_|~~|`+)$/;
const BEHIND = /^(?:\*\*\*|\*\*|\*|___|__|_|~~|`+)/;
/** The end of a link, behind its text. */
const TARGET = /^\]\([^()\s]*\)/;

/**
 * A stretch of a text together with the markup at its ends whose other half it holds: of `**now** or never`, what is
 * drawn for "now or never" begins behind the first asterisks, and would leave the others without a partner. `within` is
 * the text it is part of. Pure.
 */
export function withMarkupEnds(source: string, { start, end }: Stretch, within: Stretch): Stretch {
  const before = source.slice(within.start, start);
  const behind = source.slice(end, within.end);
  const held = source.slice(start, end);
  const opener = before.endsWith("[") && /\][([]/.test(held) ? "[" : BEFORE.exec(before)?.[0];
  const closer = TARGET.exec(behind)?.[0] ?? BEHIND.exec(behind)?.[0];
  const opens = opener !== undefined && (opener === "[" || isHalf(held, opener));
  const closes =
    closer !== undefined && (closer.startsWith("]") ? isOpen(held) : isHalf(held, closer) && !opens);
  return { start: opens ? start - opener.length : start, end: closes ? end + closer.length : end };
}

/** Whether one of the marks has no partner. */
function isHalf(text: string, mark: string): boolean {
  return text.split(mark).length % 2 === 0;
}

/** Whether a link begins in the text that does not end there. */
function isOpen(text: string): boolean {
  return text.lastIndexOf("[") > text.lastIndexOf("](");
}
