/** Returns a text with every secret replaced by `[redacted]`, URL-encoded ones included. `secrets`: longest first. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (clean.includes(secret)) clean = clean.replaceAll(secret, "[redacted]");
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret && clean.includes(encoded)) clean = clean.replaceAll(encoded, "[redacted]");
  }
  return clean;
}
