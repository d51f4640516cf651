import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireEvent } from "../../../../src/proxy/exchange/codec.ts";
import type { ExchangeEvent, OpenPart } from "../../../../src/proxy/exchange/event.ts";
import type { Dialect } from "../../../../src/proxy/exchange/parts.ts";
import { createToolUnwrapper } from "../../../../src/proxy/translate/request/schema-in-tool.ts";
import { DeltaFastPath } from "../../../../src/proxy/translate/response/delta-fast-path.ts";
import { ResponseCollector } from "../../../../src/proxy/translate/response/response-events.ts";
import { StreamGuard } from "../../../../src/proxy/translate/response/stream-guard.ts";
import { createSseParser } from "../../../../src/sse/parse.ts";
import { codecs } from "../../../support/codecs.ts";
import { encodeAll, encodeContext, request } from "../../../support/exchange.ts";

const upstreams = ["chat-completions", "responses", "messages", "generative-language"] as const;
const clients: readonly Dialect[] = [...upstreams, "completions"];
const context = encodeContext({
  request: request({ streamUsage: true, tools: [{ type: "custom", name: "own" }] }),
});

/** Returns the client's events, the stored response, and the number of events that the upstream's decoder received. */
function translate(
  client: Dialect,
  upstream: Dialect,
  packets: readonly Uint8Array[],
  way: "short" | "long",
): { readonly received: string; readonly kept: string; readonly shown: number } {
  const parser = createSseParser();
  const decoder = codecs[upstream].createStreamDecoder();
  const encoder = codecs[client].createStreamEncoder(context);
  const guard = new StreamGuard();
  const restore = createToolUnwrapper();
  const collector = new ResponseCollector();
  let shown = 0;
  const encode = (events: readonly ExchangeEvent[]): string => {
    let text = "";
    for (const event of events) {
      const checked = guard.check(event);
      if (checked === undefined) break;
      const restored = restore(checked);
      collector.push(restored);
      text += encoder.push(restored);
    }
    return text;
  };
  const push = (event: WireEvent) => {
    shown += 1;
    return decoder.push(event);
  };
  const deltas = new DeltaFastPath(
    {
      push,
      end: () => decoder.end(),
      note: (delta) => decoder.note?.(delta),
      readsText: (index) => decoder.readsText?.(index) ?? false,
    },
    encode,
  );
  const take = (event: WireEvent) => (way === "short" ? deltas.push(event) : encode(push(event)));
  let received = packets.flatMap((packet) => parser.push(packet).map(take)).join("");
  received += parser.end().map(take).join("");
  deltas.flush();
  received += encode(decoder.end());
  const kept = JSON.stringify({ response: collector.response(), losses: encoder.losses });
  return { received: withoutMadeIds(received), kept: withoutMadeIds(kept), shown };
}

/** Replaces the ids that are generated for calls without an id, because these ids differ each time. */
function withoutMadeIds(text: string): string {
  return text.replace(/call_m_[\w-]{24}/g, "call_made");
}

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(" the", " a", " word", "déjà", "東京", "🙂", "text", "content", "0"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "\n",
      '"',
      " \\",
      '{"a":',
      "}",
      "\u2028",
      "\ud83d",
      "\\u0041",
      "data: x\n\n",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8, unit: "binary" }) },
);

const part: fc.Arbitrary<OpenPart> = fc.constantFrom<OpenPart>(
  { type: "text", text: "" },
  { type: "reasoning", text: "", vendor: "messages" },
  { type: "refusal", text: "" },
  { type: "tool-call", id: "call_1", name: "look", arguments: "" },
  { type: "tool-call", id: "call_2", name: "own", arguments: "", custom: true },
  { type: "tool-call", id: "call_3", name: "structured_answer", arguments: "" },
);

/** The events of a response whose parts have many words each. The events of several parts alternate if interleaved. */
const events: fc.Arbitrary<ExchangeEvent[]> = fc
  .record({
    parts: fc.array(fc.record({ part, texts: fc.array(word, { maxLength: 40 }) }), { maxLength: 4 }),
    interleaved: fc.boolean(),
  })
  .map(({ parts, interleaved }) => {
    const flows = parts.map(({ part: open, texts }, index): ExchangeEvent[] => [
      { type: "part-start", index, part: open },
      ...texts.map((text): ExchangeEvent => {
        return { type: open.type === "tool-call" ? "arguments-delta" : "text-delta", index, text };
      }),
      { type: "part-end", index },
    ]);
    return [
      { type: "start", id: "answer1" },
      ...(interleaved ? takeTurns(flows) : flows.flat()),
      { type: "finish", finish: { unified: "stop" } },
      { type: "end", usage: { input: { total: 9 }, output: { total: 4 } } },
    ];
  });

function takeTurns(flows: readonly ExchangeEvent[][]): ExchangeEvent[] {
  const longest = Math.max(0, ...flows.map((flow) => flow.length));
  return Array.from({ length: longest }, (_, at) => flows.flatMap((flow) => flow[at] ?? [])).flat();
}

/** Errors of an upstream: events that are missing or duplicated. */
const corruptions = fc.array(fc.record({ at: fc.nat(200), kind: fc.constantFrom("lost", "twice") }), {
  maxLength: 2,
});

/** Members without meaning that an upstream adds to its events. */
interface VolatileFields {
  readonly numbered: boolean;
  readonly padded: boolean;
}

const quiet: VolatileFields = { numbered: false, padded: false };
const volatileFields: fc.Arbitrary<VolatileFields> = fc.record({
  numbered: fc.boolean(),
  padded: fc.boolean(),
});

function wireOf(
  upstream: Dialect,
  response: readonly ExchangeEvent[],
  { numbered, padded }: VolatileFields,
): string[] {
  const text = encodeAll(codecs[upstream], response, context);
  const plain = numbered ? text : text.replace(/"sequence_number":\d+,/g, "");
  const events = plain.split(/(?<=\n\n)/);
  if (!padded) return events;
  return events.map((event, at) => event.replace(/\}\n\n$/, `,"obfuscation":"${"Ab9".repeat(at % 4)}"}\n\n`));
}

function cut(bytes: Buffer, cuts: readonly number[]): Uint8Array[] {
  const bounds = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, at) => bytes.subarray(bounds[at], end));
}

describe.each(upstreams)("a stream of the %s dialect", (upstream) => {
  it.each(clients.filter((client) => client !== upstream))(
    "is the same for clients of %s as with the slow path for every event",
    (client) => {
      const cuts = fc.array(fc.nat(20_000), { maxLength: 12 });
      fc.assert(
        fc.property(events, corruptions, cuts, volatileFields, (response, wrong, positions, added) => {
          const wire = wireOf(upstream, response, added);
          for (const { at, kind } of wrong) {
            const position = at % wire.length;
            if (kind === "lost") wire.splice(position, 1);
            else wire.splice(position, 0, wire[position] ?? "");
          }
          const packets = cut(Buffer.from(wire.join("")), positions);
          const { shown: _, ...short } = translate(client, upstream, packets, "short");
          const { shown: __, ...long } = translate(client, upstream, packets, "long");
          expect(short).toEqual(long);
        }),
      );
    },
  );
});

describe("a thousand similar events", () => {
  const deltas = Array.from({ length: 1_000 }, (_, at): ExchangeEvent => {
    return { type: "text-delta", index: 0, text: at % 50 === 49 ? "\n" : ` word${at}` };
  });
  const response: ExchangeEvent[] = [
    { type: "start", id: "answer1" },
    { type: "part-start", index: 0, part: { type: "text", text: "" } },
    ...deltas,
    { type: "part-end", index: 0 },
    { type: "finish", finish: { unified: "stop" } },
    { type: "end" },
  ];

  it.each([
    ["messages", "chat-completions"],
    ["messages", "generative-language"],
    ["messages", "responses"],
    ["chat-completions", "messages"],
    ["generative-language", "messages"],
    ["completions", "chat-completions"],
  ] as const)("reach a client of %s mostly without the decoder of %s", (client, upstream) => {
    const packets = [Buffer.from(wireOf(upstream, response, quiet).join(""))];
    const short = translate(client, upstream, packets, "short");
    const long = translate(client, upstream, packets, "long");
    expect(short.received).toBe(long.received);
    expect(short.kept).toEqual(long.kept);
    expect(long.shown).toBeGreaterThan(1_000);
    expect(short.shown).toBeLessThan(50);
  });

  it.each([
    ["messages", "responses", { numbered: true, padded: false }],
    ["chat-completions", "responses", { numbered: true, padded: true }],
    ["messages", "chat-completions", { numbered: false, padded: true }],
  ] as const)(
    "reach a client of %s mostly without the decoder if events of %s differ in volatile fields",
    (client, upstream, added) => {
      const packets = [Buffer.from(wireOf(upstream, response, added).join(""))];
      const short = translate(client, upstream, packets, "short");
      expect(short.received).toBe(translate(client, upstream, packets, "long").received);
      expect(short.shown).toBeLessThan(50);
    },
  );

  it("take the slow path for a client that numbers its events", () => {
    const packets = [Buffer.from(wireOf("messages", response, quiet).join(""))];
    const short = translate("responses", "messages", packets, "short");
    expect(short).toEqual(translate("responses", "messages", packets, "long"));
  });
});

describe("an event that resembles earlier ones", () => {
  const chunk = (delta: unknown, more: unknown = {}) =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta }], ...(more as object) })}\n\n`;
  const same = (wire: readonly string[], client: Dialect = "messages") => {
    const packets = [Buffer.from(wire.join(""))];
    const short = translate(client, "chat-completions", packets, "short");
    const long = translate(client, "chat-completions", packets, "long");
    expect(short.received).toBe(long.received);
    return short.received;
  };
  const chunks = ["one", "two", "three"].map((content) => chunk({ content }));

  it("is decoded if its string ends early", () => {
    const received = same([...chunks, chunk({ content: "four", refusal: "no" }), chunk({ content: "five" })]);
    expect(received).toContain('"text":"no"');
  });

  it("is not added to a text that has ended", () => {
    const received = same([...chunks, chunk({ reasoning_content: "hm" }), ...chunks]);
    expect(received.match(/event: content_block_start/g)).toHaveLength(3);
  });

  it("is not matched by another string with the same text", () => {
    same(
      ["one", "two", "six"].map((content) =>
        chunk({ content }).replace("{", `{"system_fingerprint":"${content}",`),
      ),
    );
  });

  it("is an error if its string contains a control character", () => {
    const received = same([...chunks, chunk({ content: "four" }).replace("four", "fo\tur"), ...chunks]);
    expect(received).toContain("event: error");
  });

  it.each([
    ["without a name", undefined],
    ["with the same name", "look"],
  ])("is decoded if it is a fragment %s of a call without an id", (_, name) => {
    const fragment = (text: string, called?: string) =>
      chunk({ tool_calls: [{ index: 0, function: { name: called, arguments: text } }] });
    const call = ['{"a":[', "1", ",2", ",3", ",4", "]}"];
    const received = same([
      fragment("", "look"),
      ...call.map((text) => fragment(text, name)),
      fragment("{", "look"),
      fragment("}", name),
      "data: [DONE]\n\n",
    ]);
    expect(received.match(/"type":"tool_use"/g)).toHaveLength(2);
  });

  it("keeps the escapes of a call's free text", () => {
    const call = (text: string) => chunk({ tool_calls: [{ index: 0, custom: { input: text } }] });
    const open = { index: 0, id: "c1", type: "custom", custom: { name: "own", input: "" } };
    same([chunk({ tool_calls: [open] }), ...["a", "b", 'say "c"', "d", "\\", "e"].map(call)]);
  });
});
