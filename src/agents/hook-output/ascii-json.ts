/**
 * A value as JSON that holds ASCII alone. Gemini CLI and Qwen Code decode a hook's output piece by piece, as the pipe
 * hands it over (64 KiB), which breaks a character of several bytes that lies across two pieces.
 */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
