/**
 * Returns a unique id of 128 random bits. `crypto.randomUUID` is not available to a page loaded over plain HTTP from
 * another machine.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
