import { chatCompletions } from "./dialects/chat-completions/index.ts";
import { completions } from "./dialects/completions/index.ts";
import { generativeLanguage } from "./dialects/generative-language/index.ts";
import { messages } from "./dialects/messages/index.ts";
import { responses } from "./dialects/responses/index.ts";
import type { Codec } from "./exchange/codec.ts";
import type { Dialect } from "./exchange/parts.ts";

/** The codec of each dialect. */
export const codecs: Readonly<Record<Dialect, Codec>> = {
  "chat-completions": chatCompletions,
  completions,
  responses,
  messages,
  "generative-language": generativeLanguage,
};
