import type { Delta, ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Part, TokenLogprob } from "../../exchange/parts.ts";
import { unwrapSignature } from "../../exchange/signature.ts";
import { decodePart } from "./decode-contents.ts";
import { argumentsText } from "./decode-parts.ts";
import { decodeCall, isSignatureAlone } from "./decode-response.ts";
import { decodeFinish } from "./finish.ts";
import { decodeGrounding, decodeLookups, decodeQuotes } from "./grounding.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { createPartialArguments, type PartialArguments } from "./partial-arguments.ts";
import type { WireCandidate, WirePart } from "./schema.ts";

/** The state that all candidates of a stream share, and the receiver of their events. */
export interface CandidateStream {
  readonly responseId: string;
  nextIndex(): number;
  emit(event: ExchangeEvent): void;
}

interface Open {
  readonly index: number;
  readonly part: OpenPart;
  text: string;
  signature?: string;
  filling: PartialArguments | undefined;
}

/**
 * Decodes one candidate of a stream. The vendor splits a text over many chunks, so an open part continues until a part
 * of another kind begins, or until it is signed. A tool call arrives complete, or as a name followed by pieces of its
 * arguments, each with a JSONPath.
 */
export class CandidateReader {
  private open: Open | undefined;
  private calls = 0;
  /** Whether anything other than reasoning has arrived. */
  private hasContent = false;
  private vendorFinish: { readonly reason: string; readonly message: string | null | undefined } | undefined;
  private grounding: WireCandidate["groundingMetadata"];
  private quotes: WireCandidate["citationMetadata"];
  private fetched: WireCandidate["urlContextMetadata"];
  private readonly candidateMember: { readonly candidate?: number };

  constructor(
    private readonly candidate: number,
    private readonly stream: CandidateStream,
  ) {
    this.candidateMember = candidate === 0 ? {} : { candidate };
  }

  read(wire: WireCandidate): void {
    let logprobs = decodeLogprobs(wire.logprobsResult);
    for (const part of wire.content?.parts ?? []) {
      this.readPart(part, logprobs);
      if (part.text && part.thought !== true) logprobs = undefined;
    }
    // Later chunks repeat the metadata of earlier chunks, so the last value applies.
    this.grounding = wire.groundingMetadata ?? this.grounding;
    this.fetched = wire.urlContextMetadata ?? this.fetched;
    this.quotes = wire.citationMetadata ?? this.quotes;
    if (typeof wire.finishReason === "string")
      this.vendorFinish = { reason: wire.finishReason, message: wire.finishMessage };
  }

  /** Records a delta that was copied to the client without being decoded; see `StreamDecoder.note`. */
  note({ index, text }: Delta): void {
    if (this.open?.index === index) this.open.text += text;
  }

  /**
   * Emits the citations, searches and fetched pages of the candidate, ends the open part, and returns the finish event.
   * Returns undefined and emits nothing if the candidate has no finish reason.
   */
  finish(): Extract<ExchangeEvent, { type: "finish" }> | undefined {
    if (this.vendorFinish === undefined) return undefined;
    const { open } = this;
    const cited =
      open?.part.type === "text"
        ? [...decodeGrounding(this.grounding, open.text), ...decodeQuotes(this.quotes, open.text)]
        : [];
    for (const citation of cited) {
      this.stream.emit({ type: "citation", index: open?.index ?? 0, citation });
    }
    this.close();
    const { grounding: groundingMetadata, fetched: urlContextMetadata } = this;
    const id = `${this.stream.responseId}_${this.candidate}`;
    for (const part of decodeLookups({ groundingMetadata, urlContextMetadata }, id)) this.emitWhole(part);
    const finish = decodeFinish(
      this.vendorFinish.reason,
      { called: this.calls > 0, hasContent: this.hasContent },
      this.vendorFinish.message,
    );
    return { type: "finish", finish, ...this.candidateMember };
  }

  private readPart(part: WirePart, logprobs: readonly TokenLogprob[] | undefined) {
    if (part.functionCall) return this.call(part);
    if (isSignatureAlone(part)) return this.sign(part);
    const decoded = decodePart(part);
    if (decoded.type !== "text" && decoded.type !== "reasoning") {
      this.close();
      this.emitWhole(decoded);
      return;
    }
    if (decoded.text === "" && part.thoughtSignature === undefined) return;
    this.append(decoded, decoded.type === "text" ? logprobs : undefined);
    this.sign(part);
  }

  private append(
    part: Extract<Part, { type: "text" | "reasoning" }>,
    logprobs: readonly TokenLogprob[] | undefined,
  ): void {
    const isSame = this.open?.part.type === part.type && this.open.signature === undefined;
    const open = isSame && this.open !== undefined ? this.open : this.begin(toEmptyPart(part));
    const { index } = open;
    const { text } = part;
    open.text += text;
    if (text === "") return;
    this.stream.emit(
      logprobs === undefined
        ? { type: "text-delta", index, text }
        : { type: "text-delta", index, text, logprobs },
    );
  }

  private sign(part: WirePart): void {
    const { open } = this;
    const signature = part.thoughtSignature;
    if (typeof signature !== "string" || open === undefined) return;
    if (open.part.type !== "text" && open.part.type !== "reasoning") return;
    open.signature = signature;
    this.stream.emit({
      type: "signature-delta",
      index: open.index,
      signature: unwrapSignature("generative-language", signature).signature,
    });
  }

  private call(part: WirePart) {
    const wire = part.functionCall;
    if (typeof wire?.name !== "string") return this.fill(part);
    const whole = decodeCall(part, this.stream.responseId, this.candidate, this.calls++);
    if (wire.willContinue !== true && !wire.partialArgs?.length) {
      this.close();
      this.emitWhole(whole);
      return;
    }
    this.begin({ ...whole, arguments: "" }, createPartialArguments());
    this.fill(part);
  }

  private fill(part: WirePart): void {
    const { open } = this;
    const wire = part.functionCall;
    if (open?.filling === undefined) return;
    const { index, filling } = open;
    const text = (wire?.partialArgs ?? []).map((piece) => filling.add(piece)).join("");
    const whole = wire?.args === undefined || text !== "" ? "" : wholeArguments(wire.args);
    if (text + whole !== "") this.stream.emit({ type: "arguments-delta", index, text: text + whole });
    if (whole !== "") open.filling = nothingMore;
    if (wire?.willContinue !== true) this.close();
  }

  private begin(part: OpenPart, filling?: PartialArguments): Open {
    this.close();
    this.hasContent ||= part.type !== "reasoning";
    const index = this.stream.nextIndex();
    this.open = { index, part, text: "", filling };
    this.stream.emit({ type: "part-start", index, part, ...this.candidateMember });
    return this.open;
  }

  private emitWhole(part: Part): void {
    this.hasContent = true;
    this.stream.emit({ type: "part-whole", index: this.stream.nextIndex(), part, ...this.candidateMember });
  }

  private close() {
    if (this.open === undefined) return;
    const { index, filling } = this.open;
    this.open = undefined;
    const rest = filling?.end() ?? "";
    if (rest !== "") this.stream.emit({ type: "arguments-delta", index, text: rest });
    this.stream.emit({ type: "part-end", index });
  }
}

function toEmptyPart(part: Extract<Part, { type: "text" | "reasoning" }>): OpenPart {
  if (part.type === "text") return { type: "text", text: "" };
  const { vendor } = part;
  return { type: "reasoning", text: "", vendor };
}

function wholeArguments(args: unknown): string {
  return args === null ? "" : argumentsText(args);
}

/** Ignores further pieces of a call whose arguments arrived complete. */
const nothingMore: PartialArguments = { add: () => "", end: () => "" };
