import type { ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Part } from "../../exchange/parts.ts";
import { openSignature } from "../../exchange/signature.ts";
import { decodePart } from "./decode-contents.ts";
import { argumentsText } from "./decode-parts.ts";
import { decodeCall, isSignatureAlone } from "./decode-response.ts";
import { decodeFinish } from "./finish.ts";
import { decodeGrounding } from "./grounding.ts";
import { createPartialArguments, type PartialArguments } from "./partial-arguments.ts";
import type { WireCandidate, WirePart } from "./schema.ts";

/**
 * One candidate of a stream. The vendor cuts one text into the parts of many chunks, so a part here goes on until
 * something else begins; calls come whole, or opened by a name and filled by paths.
 */
export interface CandidateReader {
  read(candidate: WireCandidate, responseId: string): ExchangeEvent[];
  /** Closes what is open and tells how the candidate ended; nothing where it did not. */
  finish(): ExchangeEvent[] | undefined;
}

interface Open {
  readonly index: number;
  readonly part: OpenPart;
  text: string;
  signature?: string;
  readonly filling?: PartialArguments;
}

export function createCandidateReader(candidate: number, nextIndex: () => number): CandidateReader {
  let open: Open | undefined;
  let calls = 0;
  let ended: { readonly reason: string; readonly message: string | null | undefined } | undefined;
  let logprobs: unknown;
  let grounding: WireCandidate["groundingMetadata"];
  const place = candidate === 0 ? {} : { candidate };

  const close = (): ExchangeEvent[] => {
    if (open === undefined) return [];
    const { index, part, text, signature, filling } = open;
    const rest = filling?.end() ?? "";
    open = undefined;
    const last: ExchangeEvent[] = rest === "" ? [] : [{ type: "arguments-delta", index, text: rest }];
    if (part.type !== "text" || signature === undefined) return [...last, { type: "part-end", index }];
    const origin = { dialect: "generative-language", raw: { thoughtSignature: signature } } as const;
    return [...last, { type: "part-end", index, part: { type: "text", text, origin } }];
  };
  const begin = (part: OpenPart, filling?: PartialArguments): ExchangeEvent[] => {
    const closing = close();
    open = { index: nextIndex(), part, text: "", ...(filling === undefined ? {} : { filling }) };
    return [...closing, { type: "part-start", index: open.index, part, ...place }];
  };
  const say = (part: Extract<Part, { type: "text" | "reasoning" }>): ExchangeEvent[] => {
    const isSame = open?.part.type === part.type && open.signature === undefined;
    const opening = isSame ? [] : begin(emptied(part));
    if (open === undefined) return opening;
    open.text += part.text;
    return part.text === ""
      ? opening
      : [...opening, { type: "text-delta", index: open.index, text: part.text }];
  };
  const sign = (part: WirePart): ExchangeEvent[] => {
    const signature = part.thoughtSignature;
    if (typeof signature !== "string" || open === undefined) return [];
    if (open.part.type === "text") open.signature = signature;
    if (open.part.type !== "reasoning") return [];
    open.signature = signature;
    return [
      {
        type: "signature-delta",
        index: open.index,
        signature: openSignature("generative-language", signature).signature,
      },
    ];
  };
  const call = (part: WirePart, responseId: string): ExchangeEvent[] => {
    const wire = part.functionCall;
    if (typeof wire?.name === "string") {
      const whole = decodeCall(part, responseId, candidate, calls++);
      const isWhole = wire.willContinue !== true && !wire.partialArgs?.length;
      if (isWhole) return [...close(), { type: "part-whole", index: nextIndex(), part: whole, ...place }];
      return [...begin({ ...whole, arguments: "" }, createPartialArguments()), ...fill(part)];
    }
    return fill(part);
  };
  const fill = (part: WirePart): ExchangeEvent[] => {
    const wire = part.functionCall;
    if (open?.filling === undefined) return [];
    const { index, filling } = open;
    const text = (wire?.partialArgs ?? []).map((piece) => filling.add(piece)).join("");
    const whole = wire?.args === undefined || text !== "" ? "" : wholeArguments(wire.args);
    const told: ExchangeEvent[] =
      text + whole === "" ? [] : [{ type: "arguments-delta", index, text: text + whole }];
    if (whole !== "") open = { ...open, filling: nothingMore };
    return wire?.willContinue === true ? told : [...told, ...close()];
  };
  const readPart = (part: WirePart, responseId: string): ExchangeEvent[] => {
    if (part.functionCall) return call(part, responseId);
    if (isSignatureAlone(part)) return sign(part);
    const decoded = decodePart(part);
    if (decoded.type === "text" || decoded.type === "reasoning") {
      if (decoded.text === "" && part.thoughtSignature === undefined) return [];
      return [...say(decoded), ...sign(part)];
    }
    return [...close(), { type: "part-whole", index: nextIndex(), part: decoded, ...place }];
  };
  return {
    read(wire, responseId) {
      const events = (wire.content?.parts ?? []).flatMap((part) => readPart(part, responseId));
      grounding = wire.groundingMetadata ?? grounding;
      if (wire.logprobsResult !== undefined) logprobs = wire.logprobsResult;
      if (typeof wire.finishReason === "string")
        ended = { reason: wire.finishReason, message: wire.finishMessage };
      return events;
    },
    finish() {
      if (ended === undefined) return undefined;
      const finish = decodeFinish(ended.reason, calls > 0, ended.message);
      const said = logprobs === undefined ? {} : { logprobs };
      // Later chunks repeat what earlier ones are grounded in, so only the last word on it counts.
      const cited = open?.part.type === "text" ? decodeGrounding(grounding, open.text) : [];
      const index = open?.index ?? 0;
      const citations = cited.map((citation): ExchangeEvent => ({ type: "citation", index, citation }));
      return [...citations, ...close(), { type: "finish", finish, ...place, ...said }];
    },
  };
}

function emptied(part: Extract<Part, { type: "text" | "reasoning" }>): OpenPart {
  if (part.type === "text") return { type: "text", text: "" };
  const { vendor } = part;
  return { type: "reasoning", text: "", ...(vendor === undefined ? {} : { vendor }) };
}

function wholeArguments(args: unknown): string {
  return args === null ? "" : argumentsText(args);
}

/** For a call whose arguments came whole after all. */
const nothingMore: PartialArguments = { add: () => "", end: () => "" };
