const numberKey = '"sequence_number":';
const paddingKey = ',"obfuscation":"';

/**
 * An event's JSON without what differs from one event to the next and no codec reads: its number, as responses vendors
 * count their events, and the padding by which OpenAI hides how long words are. Both are cut only where they stand as
 * valid JSON has them (in a string the quotes of a key would be escaped); any other text comes back as it is.
 */
export function withoutVolatileFields(data: string): string {
  return withoutPadding(withoutNumber(data));
}

/** The key stays, so that an event which has none is told from one whose number was cut. */
function withoutNumber(data: string): string {
  const found = data.indexOf(numberKey);
  if (found < 0) return data;
  const start = found + numberKey.length;
  let end = start;
  while (isDigit(data.charCodeAt(end))) end += 1;
  // No JSON number begins with a zero before others, or goes on with a fraction.
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
