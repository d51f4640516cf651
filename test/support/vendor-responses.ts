export const DIALECTS = ["chat-completions", "responses", "messages", "generative-language"] as const;
export type ClientDialect = (typeof DIALECTS)[number];

/** A valid response, as a whole. */
export const WHOLE: Record<ClientDialect, string> = {
  "chat-completions":
    '{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"déjà"},"finish_reason":"stop"}]}',
  responses:
    '{"id":"resp_x","object":"response","status":"completed","output":[{"type":"message","id":"msg_x","role":"assistant","status":"completed","content":[{"type":"output_text","text":"déjà","annotations":[]}]}]}',
  messages:
    '{"id":"msg_x","type":"message","role":"assistant","content":[{"type":"text","text":"déjà"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}',
  "generative-language":
    '{"candidates":[{"content":{"role":"model","parts":[{"text":"déjà"}]},"finishReason":"STOP"}]}',
};

const named = (type: string, more: string) => `event: ${type}\ndata: {"type":"${type}",${more}}\n\n`;
const RESPONSE = '"id":"resp_x","object":"response"';
const SPOKEN =
  '"type":"message","id":"msg_x","role":"assistant","status":"completed","content":[{"type":"output_text","text":"déjà","annotations":[]}]';

/** The same as a stream, split so that the first piece contains the text and the last piece the end. */
export const EVENTS: Record<ClientDialect, readonly string[]> = {
  "chat-completions": [
    'data: {"id":"x","choices":[{"index":0,"delta":{"content":"déjà"},"finish_reason":null}]}\n\n',
    'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    "data: [DONE]\n\n",
  ],
  responses: [
    named("response.created", `"response":{${RESPONSE},"status":"in_progress","output":[]}`) +
      named("response.output_item.added", `"output_index":0,"item":{${SPOKEN.replace(/\[.*\]/, "[]")}}`) +
      named(
        "response.content_part.added",
        '"output_index":0,"content_index":0,"item_id":"msg_x","part":{"type":"output_text","text":"","annotations":[]}',
      ) +
      named(
        "response.output_text.delta",
        '"output_index":0,"content_index":0,"item_id":"msg_x","delta":"déjà"',
      ),
    named("response.output_item.done", `"output_index":0,"item":{${SPOKEN}}`),
    named("response.completed", `"response":{${RESPONSE},"status":"completed","output":[{${SPOKEN}}]}`),
  ],
  messages: [
    named(
      "message_start",
      '"message":{"id":"msg_x","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}',
    ) +
      named("content_block_start", '"index":0,"content_block":{"type":"text","text":""}') +
      named("content_block_delta", '"index":0,"delta":{"type":"text_delta","text":"déjà"}'),
    named("content_block_stop", '"index":0') +
      named("message_delta", '"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}'),
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  "generative-language": [
    'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"déjà"}]}}]}\n\n',
    'data: {"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}\n\n',
  ],
};

/** Returns the valid response of a dialect, as a stream or as a whole. */
export const goodBody = (dialect: ClientDialect, isStream: boolean) =>
  isStream ? EVENTS[dialect].join("") : WHOLE[dialect];
