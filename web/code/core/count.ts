/** A whole number with commas between the thousands. `toLocaleString` does the same, but takes 20 ms to start. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
