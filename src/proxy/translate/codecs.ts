import { AppError } from "../../errors.ts";
import { chatCompletionsCodec } from "../dialects/chat-completions/index.ts";
import { messagesCodec } from "../dialects/messages/index.ts";
import { responsesCodec } from "../dialects/responses/index.ts";
import type { Codec } from "../exchange/codec.ts";
import type { Dialect } from "../exchange/parts.ts";

const codecs: Partial<Record<Dialect, Codec>> = {
  "chat-completions": chatCompletionsCodec,
  responses: responsesCodec,
  messages: messagesCodec,
};

/** A dialect's readers and writers. */
export function codecOf(dialect: Dialect): Codec {
  const codec = codecs[dialect];
  if (codec === undefined) throw new AppError("unsupported", `The dialect ${dialect} is not translated.`);
  return codec;
}
