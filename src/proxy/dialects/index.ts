import type { Codec } from "../exchange/codec.ts";
import type { DialectProfile, UpstreamProfile } from "../exchange/dialect-profile.ts";
import type { Dialect, UpstreamDialect } from "../exchange/parts.ts";
import { profile as chatCompletions } from "./chat-completions/profile.ts";
import { profile as completions } from "./completions/profile.ts";
import { profile as generativeLanguage } from "./generative-language/profile.ts";
import { profile as messages } from "./messages/profile.ts";
import { profile as responses } from "./responses/profile.ts";

export type { Dialect, UpstreamDialect };

interface RegisteredDialect<Name extends Dialect> {
  readonly profile: DialectProfile<Name extends UpstreamDialect ? UpstreamProfile : undefined>;
  /** Codecs are large, and only translated calls need them. */
  readonly loadCodec: () => Promise<{ readonly codec: Codec }>;
}

/** The dialects, one line each. */
const registry: { readonly [Name in Dialect]: RegisteredDialect<Name> } = {
  "chat-completions": { profile: chatCompletions, loadCodec: () => import("./chat-completions/index.ts") },
  completions: { profile: completions, loadCodec: () => import("./completions/index.ts") },
  responses: { profile: responses, loadCodec: () => import("./responses/index.ts") },
  messages: { profile: messages, loadCodec: () => import("./messages/index.ts") },
  "generative-language": {
    profile: generativeLanguage,
    loadCodec: () => import("./generative-language/index.ts"),
  },
};

/** The names of all dialects. */
export const dialects = Object.keys(registry) as readonly Dialect[];

/** The names of the dialects that upstreams speak. */
export const upstreamDialects = dialects.filter(isUpstreamDialect);

/** The dialect of clients that do not identify themselves on paths shared by several dialects. */
export const DEFAULT_DIALECT: Dialect = "chat-completions";

function isUpstreamDialect(dialect: Dialect): dialect is UpstreamDialect {
  return getProfile(dialect).upstream !== undefined;
}

/** Returns the profile of a dialect. */
export function getProfile(dialect: Dialect): DialectProfile {
  return registry[dialect].profile;
}

/** Returns the facts about upstreams that speak a dialect. */
export function getUpstreamProfile(dialect: UpstreamDialect): UpstreamProfile {
  return registry[dialect].profile.upstream;
}

/** Returns the profile of the dialect named so; undefined for names of other things (`any`, `plain`). */
export function findProfile(name: string): DialectProfile | undefined {
  return Object.hasOwn(registry, name) ? registry[name as Dialect].profile : undefined;
}

/** The headers in which upstreams expect their API key, by lower-case name. */
export const keyHeaders: readonly string[] = [
  ...new Set(upstreamDialects.map((dialect) => getUpstreamProfile(dialect).keyHeader.name)),
];

const loading = new Map<Dialect, Promise<Codec>>();

/** Loads a dialect's codec, once. */
export function loadCodec(dialect: Dialect): Promise<Codec> {
  const known = loading.get(dialect);
  if (known !== undefined) return known;
  const codec = registry[dialect].loadCodec().then((module) => module.codec);
  loading.set(dialect, codec);
  return codec;
}
