const numberKey = '"sequence_number":';
const paddingKey = ',"obfuscation":"';

/**
 * Removes the values of an event's JSON that differ between events and that no codec reads: the sequence number of
 * responses events, and the padding with which OpenAI hides the length of tokens. The text inside strings stays
 * unchanged, because the quotes of a key would be escaped there.
 */
export function withoutVolatileFields(data: string): string {
  return withoutPadding(withoutNumber(data));
}

/** Removes the number but not its key, so that an event without a number differs from one whose number was removed. */
function withoutNumber(data: string): string {
  const found = data.indexOf(numberKey);
  if (found < 0) return data;
  const start = found + numberKey.length;
  let end = start;
  while (isDigit(data.charCodeAt(end))) end += 1;
  // A JSON number has no leading zeros, and a sequence number has no fraction.
  const isCount = end === start + 1 || (end > start && data[start] !== "0");
  const isOver = data[end] === "," || data[end] === "}";
  return isCount && isOver ? data.slice(0, start) + data.slice(end) : data;
}

function withoutPadding(data: string): string {
  const found = data.lastIndexOf(paddingKey);
  if (found < 0) return data;
  const start = found + paddingKey.length;
  let end = start;
  while (isLetterOrDigit(data.charCodeAt(end))) end += 1;
  return data[end] === '"' ? data.slice(0, start) + data.slice(end) : data;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
