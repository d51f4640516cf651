import type { Codec } from "../exchange/codec.ts";
import type { Dialect } from "../exchange/parts.ts";

interface CodecModule {
  readonly codec: Codec;
}

/** Imports of the codecs. Codecs are loaded on demand, because they are large. */
const modules: Readonly<Record<Dialect, () => Promise<CodecModule>>> = {
  "chat-completions": () => import("./chat-completions/index.ts"),
  completions: () => import("./completions/index.ts"),
  responses: () => import("./responses/index.ts"),
  messages: () => import("./messages/index.ts"),
  "generative-language": () => import("./generative-language/index.ts"),
};

const loading = new Map<Dialect, Promise<Codec>>();

/** Returns the codec of a dialect. Loads the codec on the first call, and again if loading has failed. */
export function loadCodec(dialect: Dialect): Promise<Codec> {
  const known = loading.get(dialect);
  if (known !== undefined) return known;
  const codec = modules[dialect]().then((module) => module.codec);
  loading.set(dialect, codec);
  codec.catch(() => loading.delete(dialect));
  return codec;
}
