import { type ClientDialect, EVENTS, WHOLE } from "../../support/vendor-responses.ts";

/** The text that the responses of the support files contain. */
const WORD = "déjà";
/** The start of a stream: everything before the delta that contains the text. */
const [DELTA, OPENING] = [deltaOf, openingOf];

/** Returns a stream of a dialect with these pieces, one delta each. */
export function streamOf(dialect: ClientDialect, pieces: readonly string[]): string[] {
  const [, ...end] = EVENTS[dialect];
  const whole = pieces.join("");
  return [
    OPENING(dialect),
    ...pieces.map((piece) => DELTA(dialect).replace(WORD, piece)),
    ...end.map((event) => event.replaceAll(WORD, whole)),
  ];
}

export function wholeOf(dialect: ClientDialect, pieces: readonly string[]): string {
  return WHOLE[dialect].replace(WORD, pieces.join(""));
}

function deltaOf(dialect: ClientDialect): string {
  const first = EVENTS[dialect][0] ?? "";
  return first.slice(
    first.lastIndexOf(dialect === "responses" || dialect === "messages" ? "event: " : "data: "),
  );
}

function openingOf(dialect: ClientDialect): string {
  const first = EVENTS[dialect][0] ?? "";
  return first.slice(0, first.length - deltaOf(dialect).length);
}

/** Returns the text of a dialect's response, as its clients assemble it. */
export function textOf(dialect: ClientDialect, body: string, isStream: boolean): string {
  if (!isStream) return wholeText(dialect, JSON.parse(body));
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => deltaText(dialect, JSON.parse(line.slice("data: ".length))))
    .join("");
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into as clients do, and a wrong one fails the test
type Untyped = any;

function wholeText(dialect: ClientDialect, response: Untyped): string {
  if (dialect === "chat-completions") return response.choices[0].message.content;
  if (dialect === "responses")
    return response.output.flatMap((item: Untyped) => textsIn(item.content)).join("");
  if (dialect === "messages") return textsIn(response.content).join("");
  return textsIn(response.candidates[0].content.parts).join("");
}

function deltaText(dialect: ClientDialect, event: Untyped): string {
  if (dialect === "chat-completions") return event.choices?.[0]?.delta?.content ?? "";
  if (dialect === "responses") return event.type === "response.output_text.delta" ? event.delta : "";
  if (dialect === "messages") return event.delta?.text ?? "";
  return textsIn(event.candidates?.[0]?.content?.parts).join("");
}

function textsIn(parts: Untyped): string[] {
  return (parts ?? []).map((part: Untyped) => part.text ?? "");
}
