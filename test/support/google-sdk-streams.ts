type Json = Record<string, unknown>;

/**
 * Returns the chunks of a generative-language event stream as Google's SDKs read it, each with its own rules. Throws
 * if one of them would: they know events of one `data:` line, no comments and no other fields, and signatures are
 * bytes.
 */
export function readAsGoogleSdks(text: string): readonly Json[] {
  const chunks = readAsPython(text);
  for (const [sdk, read] of [
    ["Go", readAsGo(text)],
    ["@google/generative-ai", readAsGenerativeAi(text)],
  ] as const) {
    if (JSON.stringify(read) !== JSON.stringify(chunks)) throw new Error(`${sdk} reads other chunks`);
  }
  for (const chunk of chunks) checkSignatures(chunk);
  return chunks;
}

/** python-genai `_api_client.py` (2.19, lines 400-416): lines, with or without `data: `, that are each JSON. */
function readAsPython(text: string): readonly Json[] {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line !== "");
  return lines.map((line) => parse("Python", line.startsWith("data: ") ? line.slice(6) : line));
}

/** go-genai `api_client.go` (lines 480-527): tokens between empty lines, each of which begins with `data:`. */
function readAsGo(text: string): readonly Json[] {
  const tokens = text.split(/\r\n\r\n|\n\n|\r\r/).filter((token) => token.length > 0);
  return tokens.map((token) => {
    if (!token.startsWith("data:"))
      throw new Error(`Go: iterateResponseStream: invalid stream chunk: ${token}`);
    return parse("Go", token.slice(5));
  });
}

/**
 * @google/generative-ai 0.24 `getResponseStream`: one anchored expression, applied repeatedly; no text may be left.
 */
function readAsGenerativeAi(text: string): readonly Json[] {
  const event = /^data: (.*)(?:\n\n|\r\r|\r\n\r\n)/;
  const chunks: Json[] = [];
  let rest = text;
  for (let found = event.exec(rest); found !== null; found = event.exec(rest)) {
    chunks.push(parse("@google/generative-ai", found[1] ?? ""));
    rest = rest.slice(found[0].length);
  }
  if (rest.trim() !== "") throw new Error(`@google/generative-ai: Failed to parse stream: ${rest}`);
  return chunks;
}

/** `thoughtSignature` is `bytes` in python-genai and `[]byte` in go-genai (`types.go:1619`): padded standard base64. */
export function checkSignatures(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key !== "thoughtSignature") checkSignatures(member);
    else if (typeof member !== "string" || Buffer.from(member, "base64").toString("base64") !== member)
      throw new Error(`thoughtSignature Data should be valid base64: ${String(member)}`);
  }
}

function parse(sdk: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`${sdk}: Failed to parse response as JSON. Raw response: ${text}`);
  }
}
