const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Returns whether a header or URL parameter is a credential, by its name. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

/** Returns the credentials in a URL's query, decoded and percent-encoded. */
export function secretsInUrl(url: string): string[] {
  return [...new URL(url).searchParams].flatMap(([name, value]) =>
    isSecretHeader(name) ? [value, encodeURIComponent(value)] : [],
  );
}

/**
 * Redacts the credentials in the query of an HTTP URL, or the password in a PostgreSQL URL. Returns any other text
 * unchanged.
 */
export function withoutUrlSecrets(text: string): string {
  if (/^postgres(?:ql)?:/i.test(text)) return text.replace(/(:\/\/[^/?#@:]*:)[^/?#]*@/, "$1[redacted]@");
  if (!/^https?:\/\/[^?]*\?/i.test(text)) return text;
  return text.replace(/([?&]([^=&#]*)=)[^&#]*/g, (pair, start: string, name: string) =>
    isSecretHeader(name) ? `${start}[redacted]` : pair,
  );
}

/**
 * Returns the texts that no log or error may contain: keys, and values of headers with credentials, with and without
 * their scheme. The longest are first, so that redacting a secret does not split a longer one that contains it. Leaves
 * out texts of fewer than eight characters, which also occur in ordinary text.
 */
export function collectSecrets(
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
