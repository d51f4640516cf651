/** Whether the last byte that is no space closes an object or an array, as at the end of a whole JSON answer. */
export function endsValue(bytes: Buffer): boolean {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return bytes[at] === 0x7d || bytes[at] === 0x5d;
}
