import { isCutOff } from "../../exchange/cut-off.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { argumentsObject } from "../../exchange/json.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeResponse, Finish } from "../../exchange/response.ts";
import { createStreamChecker } from "../../exchange/stream-checker.ts";

/**
 * Passes the valid events of one stream and replaces the first invalid event with an error: an event out of order, a
 * tool call whose arguments are not a JSON object although the response was not truncated, or a failed response.
 */
export class StreamGuard {
  private readonly checker = createStreamChecker();
  private readonly growing = new Map<number, string>();
  private broken: string | undefined;
  private hasEnded = false;

  get ended(): boolean {
    return this.hasEnded;
  }

  /** Returns the event, or the error that replaces it; undefined after a terminal event. */
  check(event: ExchangeEvent): ExchangeEvent | undefined {
    if (this.hasEnded) return undefined;
    this.watchCalls(event);
    const wrong = this.checker.check(event);
    const error =
      wrong !== undefined
        ? createOrderError(wrong)
        : event.type === "finish"
          ? findFinishError(event.finish, this.broken)
          : undefined;
    const checked: ExchangeEvent = error === undefined ? event : { type: "error", error };
    this.hasEnded = checked.type === "error" || checked.type === "end";
    return checked;
  }

  private watchCalls(event: ExchangeEvent): void {
    const { growing } = this;
    if (event.type === "part-start" && event.part.type === "tool-call" && event.part.custom !== true) {
      growing.set(event.index, "");
    } else if (event.type === "arguments-delta") {
      const text = growing.get(event.index);
      if (text !== undefined) growing.set(event.index, text + event.text);
    } else if (event.type === "part-end") {
      const text = growing.get(event.index);
      if (text !== undefined && argumentsObject(text) === undefined) this.broken ??= text;
      growing.delete(event.index);
    } else if (event.type === "part-whole" && isBrokenCall(event.part)) this.broken ??= event.part.type;
  }
}

/** Returns the error that a complete response contains, if any. */
export function findResponseError(response: ExchangeResponse): ExchangeError | undefined {
  if (response.candidates.length === 0) return createUpstreamError("The upstream's response is empty.");
  for (const { parts, finish } of response.candidates) {
    const error = findFinishError(finish, parts.some(isBrokenCall) ? "" : undefined);
    if (error !== undefined) return error;
  }
  return undefined;
}

function isBrokenCall(part: Part): boolean {
  return part.type === "tool-call" && part.custom !== true && argumentsObject(part.arguments) === undefined;
}

function findFinishError(finish: Finish, broken: string | undefined): ExchangeError | undefined {
  if (finish.unified === "error") {
    return createUpstreamError(
      finish.message ??
        `The upstream's model could not finish its response (${finish.raw ?? "no reason given"}).`,
    );
  }
  if (broken === undefined || isCutOff(finish)) return undefined;
  return createUpstreamError("The upstream's model called a tool with arguments that are not a JSON object.");
}

function createOrderError(wrong: string): ExchangeError {
  return createUpstreamError(`The upstream's stream is out of order: ${wrong}.`);
}

function createUpstreamError(message: string): ExchangeError {
  return { kind: "upstream", status: 502, message };
}
