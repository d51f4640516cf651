import type { KeyRing } from "./auth/key-ring.ts";

/** Replaces known secrets in a text with `[redacted]`. */
export type Redact = (text: string) => string;

const REDACTED = "[redacted]";

/**
 * Creates a function that redacts secrets, longest first, in these forms: plain, in base64 and base64url at any offset,
 * in hexadecimal, and each of these escaped as in URLs or JSON strings.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  if (secrets.length === 0) return (text) => text;
  const shortest = Math.min(...secrets.map((secret) => secret.length));
  const forms = secrets
    .toSorted((one, other) => other.length - one.length)
    .flatMap((secret) => [
      { form: secret, isBase64: false },
      ...hexForms(secret).map((form) => ({ form, isBase64: false })),
      ...base64Forms(secret).map((form) => ({ form, isBase64: true })),
    ]);
  const replacements = forms.map(({ form, isBase64 }) => createReplacement(form, isBase64));
  const anyForm = new RegExp(forms.map(({ form }) => escapePattern(form)).join("|"));
  return (text) => {
    // Most headers of a response are shorter than any secret.
    if (text.length < shortest) return text;
    const isEscaped = /[%\\]/.test(text);
    // One search takes less than half the time of a search for each form (bench/proxy/builds.mjs).
    if (!isEscaped && !anyForm.test(text)) return text;
    const unescaped = isEscaped ? unescapedForms(text) : [];
    return replacements.reduce((clean, replace) => replace(clean, unescaped), text);
  };
}

/**
 * Returns the forms of a text without the escapes of URLs and JSON strings. Searching these forms for a secret is much
 * faster than matching the pattern for an escaped secret. The pattern is therefore matched only if the search finds the
 * secret, or if the secret itself contains `%` or a backslash.
 */
function unescapedForms(text: string): readonly string[] {
  const fromCode = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16));
  const withoutPercent = (each: string) => each.replace(/%(?:25){0,3}([0-9a-f]{2})/gi, fromCode);
  const withoutUnicode = text.replace(/\\{1,4}u([0-9a-f]{4})/gi, fromCode).replaceAll("\\", "");
  const withoutBackslashes = text.replaceAll("\\", "");
  const forms = [withoutUnicode, withoutBackslashes];
  return [...forms, ...forms.map(withoutPercent)];
}

/**
 * Creates a function that redacts one form of a secret. With `isBase64`, it also redacts the characters of the base64
 * alphabet next to an unescaped match, because they encode the rest of the secret and the text around it.
 */
function createReplacement(
  form: string,
  isBase64: boolean,
): (text: string, unescaped: readonly string[]) => string {
  let escaped: RegExp | undefined;
  // Percent-encoding applies to UTF-8 bytes.
  const bytes = Buffer.from(form).toString("latin1");
  const isPlain = !/[%\\]/.test(form);
  return (text, unescaped) => {
    const clean = withoutForm(text, form, isBase64);
    if (unescaped.length === 0) return clean;
    if (isPlain && !unescaped.some((each) => each.includes(form) || each.includes(bytes))) return clean;
    escaped ??= new RegExp(Array.from(form, characterPattern).join(""), "g");
    return clean.replace(escaped, REDACTED);
  };
}

function withoutForm(text: string, form: string, isBase64: boolean): string {
  let clean = "";
  let done = 0;
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, done)) {
    let start = at;
    let end = at + form.length;
    while (isBase64 && start > done && BASE64.test(text.charAt(start - 1))) start -= 1;
    while (isBase64 && BASE64.test(text.charAt(end))) end += 1;
    clean += text.slice(done, start) + REDACTED;
    done = end;
  }
  return clean + text.slice(done);
}

const BASE64 = /^[A-Za-z0-9+/_=-]$/;

/**
 * Returns a pattern that matches a character as it is, percent-encoded (RFC 3986) or escaped with backslashes (RFC
 * 8259). The percent sign itself can be encoded up to three times, and an escape can have up to four backslashes.
 */
function characterPattern(character: string): string {
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25){0,3}${hexPattern(byte, 2)}`).join("");
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const unicode = units.map((unit) => `\\\\{1,4}u${hexPattern(unit, 4)}`).join("");
  const literal = units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  return `(?:\\\\{0,4}${literal}|${percent}|${unicode})`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function hexPattern(value: number, digits: number): string {
  const hex = value.toString(16).padStart(digits, "0");
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [...new Set([hex, hex.toUpperCase()])];
}

/** Returns the base64 characters that encode only the secret, for each of its three possible offsets. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [...new Set(forms)];
}

/** Minimum length of the proxy's keys, in characters. */
const MIN_KEY = 16;
const KEY_CANDIDATES = new RegExp(`[^\\s,;="'()<>[\\]{}]{${MIN_KEY},}`, "g");

/**
 * Redacts the proxy's own keys in a client's text. Only their hashes are known, so each word of 16 characters or more
 * is hashed, unless the text is known to contain no key: a client sends the same headers with each call
 * (bench/proxy/cost.mjs).
 */
export function redactOwnKeys(text: string, keys: KeyRing): string {
  if (keys.size === 0 || text.length < MIN_KEY || keys.foreign.has(text)) return text;
  if (keys.find([text])) return REDACTED;
  const clean = text.replace(KEY_CANDIDATES, (found) => (keys.find([found]) ? REDACTED : found));
  if (clean === text) keys.foreign.add(text);
  return clean;
}

/** Prefixes of keys and tokens that vendors document. */
const PREFIXES = [
  ...["sk-", "gsk_", "xai-", "AIza", "hf_", "r8_", "pplx-", "nvapi-", "tvly-"],
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "pypi-"],
  ...["AKIA", "ASIA", "ya29\\.", "xox[abeprs]-", "sq0[a-z]{3}-", "SG\\.", "shpat_", "dop_v1_"],
];

/** Matches where a token can begin: not within a word, except directly after an escape such as `\n` in JSON. */
const START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))`;

const SHAPES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [new RegExp(`${START}(?:${PREFIXES.join("|")})[\\w.-]{8,}`, "g"), REDACTED],
  // A JSON Web Token (RFC 7519).
  [new RegExp(`${START}eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*`, "g"), REDACTED],
  [/\b(bearer\s+)[\w.~+/-]{16,}=*/gi, `$1${REDACTED}`],
  // The password in a URL.
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']{1,200}:)[^\s/@"']{1,200}@/gi, `$1${REDACTED}@`],
];

/** Replaces keys and tokens of known formats, private keys and the passwords of URLs with `[redacted]`. */
export function redactKeyShapes(text: string): string {
  return SHAPES.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
