import { loadCodec } from "../../src/proxy/dialects/codecs.ts";
import { dialects } from "../../src/proxy/dialects/index.ts";
import type { Codec } from "../../src/proxy/exchange/codec.ts";
import type { Dialect } from "../../src/proxy/exchange/parts.ts";

/** The codecs of all dialects. */
export const codecs = Object.fromEntries(
  await Promise.all(dialects.map(async (dialect) => [dialect, await loadCodec(dialect)] as const)),
) as Readonly<Record<Dialect, Codec>>;
