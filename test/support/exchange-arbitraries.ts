import * as fc from "fast-check";
import type { ExchangeEvent } from "../../src/proxy/exchange/event.ts";
import type { Part } from "../../src/proxy/exchange/parts.ts";
import type { ExchangeResponse, Usage } from "../../src/proxy/exchange/response.ts";

/** Text as people and models write it: any script, emoji, quotes, line ends. */
export const anyText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
  fc.constantFrom("déjà vu 🙂", "東京", '"quoted" \\ back', "line\nbreak\r\n", "data: x\n\n"),
);

/** Log probabilities of a text that is a single token. */
export const withLogprobs = (text: string) =>
  fc.option(fc.double({ max: -0.1, min: -20, noNaN: true, noDefaultInfinity: true })).map((logprob): Part => {
    if (logprob === null) return { type: "text", text };
    const entry = { token: text, logprob, bytes: [...Buffer.from(text)] };
    return { type: "text", text, logprobs: [{ ...entry, top: [entry] }] };
  });

export const toolName = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,12}$/);
export const callId = fc.uuid().map((id) => `call_${id}`);

/** Arguments as a model writes them: the text of a JSON object. */
export const argumentsText = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
  .map((value) => JSON.stringify(value));

/** Consistent counts, as vendors report them. */
export const usage: fc.Arbitrary<Usage> = fc
  .record({
    cacheRead: fc.nat(1_000),
    uncached: fc.nat(1_000),
    reasoning: fc.nat(100),
    written: fc.nat(100),
  })
  .map(({ cacheRead, uncached, reasoning, written }) => ({
    input: { total: cacheRead + uncached, uncached, cacheRead },
    output: { total: reasoning + written, reasoning },
  }));

/** The stream of a response, with its texts and arguments split at `cuts`. */
export function streamOf(response: ExchangeResponse, cuts: readonly number[]): ExchangeEvent[] {
  const { id, model, created } = response;
  const events: ExchangeEvent[] = [
    {
      type: "start",
      id,
      model,
      created,
    },
  ];
  let index = 0;
  for (const { parts } of response.candidates) {
    for (const part of parts) events.push(...eventsOfPart(part, index++, cuts));
  }
  for (const { finish } of response.candidates) events.push({ type: "finish", finish });
  events.push({ type: "end", ...(response.usage === undefined ? {} : { usage: response.usage }) });
  return events;
}

function eventsOfPart(part: Part, index: number, cuts: readonly number[]): ExchangeEvent[] {
  if (part.type === "tool-call") {
    const deltas = pieces(part.arguments, cuts).map(
      (text) => ({ type: "arguments-delta", index, text }) as const,
    );
    return [
      { type: "part-start", index, part: { ...part, arguments: "" } },
      ...deltas,
      { type: "part-end", index },
    ];
  }
  if (part.type !== "text" && part.type !== "refusal" && part.type !== "reasoning") {
    return [{ type: "part-whole", index, part }];
  }
  const logprobs = part.type === "text" ? part.logprobs : undefined;
  const [first, ...more] = pieces(part.text, cuts).filter((text) => text !== "");
  const deltas = [
    {
      type: "text-delta",
      index,
      text: first ?? "",
      logprobs,
    } as const,
    ...more.map((text) => ({ type: "text-delta", index, text }) as const),
  ];
  const { signature, ...unsigned } = part.type === "refusal" ? { ...part, signature: undefined } : part;
  const signed: ExchangeEvent[] =
    signature === undefined ? [] : [{ type: "signature-delta", index, signature }];
  return [
    { type: "part-start", index, part: emptied(unsigned) },
    ...deltas,
    ...signed,
    { type: "part-end", index },
  ];
}

function emptied(part: Extract<Part, { type: "text" | "refusal" | "reasoning" }>) {
  if (part.type !== "text") return { ...part, text: "" };
  const { logprobs: _, ...rest } = part;
  return { ...rest, text: "" };
}

/** The text split at each position within it, even within surrogate pairs, as by some upstreams. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const positions = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort(
    (left, right) => left - right,
  );
  const bounds = [0, ...positions, text.length];
  return bounds.slice(1).map((end, at) => text.slice(bounds[at] ?? 0, end));
}
