import { describe, expect, it } from "vitest";
import { type Json, messagesResponse, messagesStream, runScene } from "./harness.ts";

const clients = ["chat-completions", "responses", "generative-language", "completions"] as const;
const bodies: Readonly<Record<(typeof clients)[number], Json>> = {
  "chat-completions": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  responses: { model: "m", input: "Hi" },
  "generative-language": { model: "m", contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  completions: { model: "m", prompt: "Hi" },
};
const page = {
  type: "web_search_result_location",
  url: "https://a.example",
  title: "A",
  cited_text: "q",
  encrypted_index: "x",
};
const passage = {
  type: "char_location",
  cited_text: "Grass",
  document_index: 0,
  document_title: "Notes",
  start_char_index: 0,
  end_char_index: 5,
};

/** Returns a stream of two texts, the second with a citation that the vendor sends before the text. */
function citedStream(citation: Json): string {
  const block = (index: number, ...deltas: readonly Json[]): readonly Json[] => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  return messagesStream([
    ...block(0, { type: "text_delta", text: "é🙂 " }),
    ...block(1, { type: "citations_delta", citation }, { type: "text_delta", text: "fact" }),
  ]);
}

describe("citations", () => {
  it("62 of a page have the offsets of the cited text in a chat-completions stream, as in a complete response", async () => {
    const body = bodies["chat-completions"];
    const streamed = await runScene({
      client: "chat-completions",
      upstream: "messages",
      body: { ...body, stream: true },
      response: citedStream(page),
    });
    const received = streamed.data.flatMap((chunk) => {
      const [choice] = (chunk["choices"] ?? []) as { delta: { annotations?: Json[] } }[];
      return choice?.delta.annotations ?? [];
    });
    const position = { start_index: 4, end_index: 8 };
    expect(received).toEqual([
      { index: 0, type: "url_citation", url_citation: { url: "https://a.example", title: "A", ...position } },
    ]);
    expect(streamed.losses).toEqual([]);
  });

  it("62 of a page reach a responses client even if the vendor cites before the text", async () => {
    const streamed = await runScene({
      client: "responses",
      upstream: "messages",
      body: { ...bodies.responses, stream: true },
      response: citedStream(page),
    });
    const annotation = {
      type: "url_citation",
      url: "https://a.example",
      title: "A",
      start_index: 0,
      end_index: 4,
    };
    expect(
      streamed.data.filter((event) => event["type"] === "response.output_text.annotation.added"),
    ).toMatchObject([{ annotation_index: 0, annotation, content_index: 1 }]);
    const last = streamed.data.at(-1)?.["response"] as { output: { content: Json[] }[] };
    expect(last.output[0]?.content[1]).toMatchObject({ text: "fact", annotations: [annotation] });
  });

  it.each(clients)(
    "62 of a document passage, which a %s client does not support, are a loss",
    async (client) => {
      const whole = messagesResponse([{ type: "text", text: "Grass", citations: [passage] }]);
      const asked = { client, upstream: "messages", body: bodies[client] } as const;
      expect((await runScene({ ...asked, response: whole })).losses).toEqual(["answer-citation"]);
      // A generative-language client requests a stream by its path.
      const body = client === "generative-language" ? bodies[client] : { ...bodies[client], stream: true };
      const streamed = await runScene({ ...asked, body, array: false, response: citedStream(passage) });
      expect([streamed.status, streamed.losses]).toEqual([200, ["answer-citation"]]);
    },
  );

  it("62 of a file at another vendor are a loss for a messages client", async () => {
    const annotations = [{ type: "file_citation", file_id: "file_1", filename: "a.pdf", index: 3 }];
    const content = [{ type: "output_text", text: "fact", annotations }];
    const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
    const received = await runScene({
      client: "messages",
      upstream: "responses",
      body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
      response: { id: "resp_1", object: "response", status: "completed", output },
    });
    expect(received.json["content"]).toEqual([{ type: "text", text: "fact" }]);
    expect(received.losses).toEqual(["answer-citation"]);
  });

  it.each([false, true])(
    "62 of text that a generative-language model quotes reach a client, streamed: %s",
    async (stream) => {
      const quotes = { citationSources: [{ startIndex: 3, endIndex: 7, uri: "https://a.example" }] };
      const content = { role: "model", parts: [{ text: "é fact" }] };
      const response = { candidates: [{ content, finishReason: "STOP", citationMetadata: quotes }] };
      const received = await runScene({
        client: "chat-completions",
        upstream: "generative-language",
        body: { ...bodies["chat-completions"], stream },
        response: stream ? `data: ${JSON.stringify(response)}\n\n` : response,
      });
      const position = { start_index: 2, end_index: 6 };
      const cited = { url: "https://a.example", title: "https://a.example", ...position };
      expect(received.text).toContain(
        `"annotations":${JSON.stringify([{ ...(stream ? { index: 0 } : {}), type: "url_citation", url_citation: cited }])}`,
      );
    },
  );
});
