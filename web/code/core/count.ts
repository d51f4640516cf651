/** Formats an integer with thousands separators. `toLocaleString` would be slow on its first call. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a size in bytes with a suitable unit, for example `12.4 kB`. */
export function bytes(size: number): string {
  if (size < 1_000) return size === 1 ? "1 byte" : `${size} bytes`;
  return size < 999_950 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
