const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Whether a header's value is a credential, by the header's name. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
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
