import { keepAliveComment, serializeLine } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent, PartEvent } from "../../exchange/event.ts";
import { createLossList, type Loss } from "../../exchange/loss.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { encodeOpenAiError } from "./openai-profile.ts";

type Start = Extract<ExchangeEvent, { type: "start" }>;

/**
 * Encodes a stream in the form of OpenAI's chat-completions and completions, which ends with `[DONE]` or, if it fails,
 * with an error object. Subclasses define the content of a chunk.
 */
export abstract class ChunkStreamEncoder implements StreamEncoder {
  protected readonly list = createLossList();
  /** The JSON text of every chunk before `choices`. */
  protected head = "";
  private usage: Usage | undefined;
  private ended = false;

  constructor(protected readonly context: EncodeContext) {}

  /** Returns the members that identify the stream in each chunk. */
  protected abstract identity(id: string | undefined): { readonly id: string; readonly object: string };
  /** Returns the chunk that begins the stream; empty if the dialect has none. */
  protected abstract begin(): string;
  protected abstract encodePart(event: PartEvent): string;
  protected abstract finish(candidate: number, finish: Finish): string;
  protected abstract counts(usage: Usage): Readonly<Record<string, unknown>>;

  get losses(): readonly Loss[] {
    return this.list.losses;
  }

  push(event: ExchangeEvent): string {
    if (this.ended) return "";
    switch (event.type) {
      case "start":
        return this.start(event);
      case "usage":
        this.usage = mergeUsage(this.usage, event.usage);
        return "";
      case "finish":
        return this.finish(event.candidate ?? 0, event.finish);
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        return this.end();
      case "error":
        this.ended = true;
        return serializeLine(JSON.stringify(encodeOpenAiError(event.error).body));
      case "ping":
        return keepAliveComment;
      default:
        return this.encodePart(event);
    }
  }

  /** Returns more members of the chunk that has token counts, as JSON text that ends with a comma; empty if none. */
  protected members(_usage: Usage): string {
    return "";
  }

  private start({ id, model, created, usage }: Start): string {
    this.usage = mergeUsage(this.usage, usage);
    const fields = {
      ...this.identity(id),
      created: created ?? Math.floor(this.context.now / 1000),
      model: model ?? this.context.model,
    };
    this.head = `${JSON.stringify(fields).slice(0, -1)},`;
    return this.begin();
  }

  private end(): string {
    this.ended = true;
    const { usage } = this;
    const isWanted = this.context.request.streamUsage === true && usage !== undefined;
    const last = isWanted
      ? serializeLine(
          `${this.head}"choices":[],${this.members(usage)}"usage":${JSON.stringify(this.counts(usage))}}`,
        )
      : "";
    return last + serializeLine("[DONE]");
  }
}
