const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Whether the value of a header, or of a URL's parameter, is a credential, by its name. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

/** The credentials in a URL's query, as they are meant and as they are written. */
export function secretsInUrl(url: string): string[] {
  return [...new URL(url).searchParams].flatMap(([name, value]) =>
    isSecretHeader(name) ? [value, encodeURIComponent(value)] : [],
  );
}

/** A text as it may be shown: where it is a URL, without the credentials in its query. */
export function withoutUrlSecrets(text: string): string {
  if (!/^https?:\/\/[^?]*\?/i.test(text)) return text;
  return text.replace(/([?&]([^=&#]*)=)[^&#]*/g, (pair, start: string, name: string) =>
    isSecretHeader(name) ? `${start}[redacted]` : pair,
  );
}

/**
 * What must appear in no log and no error: the texts of keys, and what headers carry, with its scheme and without.
 * Longest first, so that no secret is cut by another within it; what is shorter than eight characters is no secret.
 */
export function secretsOf(
  keys: readonly string[],
  headers: readonly Readonly<Record<string, string>>[],
): string[] {
  const values = headers.flatMap((each) =>
    Object.entries(each).flatMap(([name, value]) =>
      isSecretHeader(name) ? [value, value.replace(/^\w+ +/, "")] : [],
    ),
  );
  return [...new Set([...keys, ...values])]
    .filter((text) => text.length >= 8)
    .sort((one, other) => other.length - one.length);
}
