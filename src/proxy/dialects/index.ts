import type { DialectProfile, UpstreamProfile } from "../exchange/dialect-profile.ts";
import type { Dialect, UpstreamDialect } from "../exchange/parts.ts";
import { profile as chatCompletions } from "./chat-completions/profile.ts";
import { profile as completions } from "./completions/profile.ts";
import { profile as generativeLanguage } from "./generative-language/profile.ts";
import { profile as messages } from "./messages/profile.ts";
import { profile as responses } from "./responses/profile.ts";

export type { Dialect, UpstreamDialect };

/** The profiles by dialect; `codecs.ts` lists the codecs. */
const registry: {
  readonly [Name in Dialect]: DialectProfile<Name extends UpstreamDialect ? UpstreamProfile : undefined>;
} = {
  "chat-completions": chatCompletions,
  completions,
  responses,
  messages,
  "generative-language": generativeLanguage,
};

export const dialects = Object.keys(registry) as readonly Dialect[];

/** The names of the dialects that an upstream can have. */
export const upstreamDialects = dialects.filter(isUpstreamDialect);

/** The dialect of a client that does not identify itself, on a path that several dialects share. */
export const DEFAULT_DIALECT: Dialect = "chat-completions";

function isUpstreamDialect(dialect: Dialect): dialect is UpstreamDialect {
  return getProfile(dialect).upstream !== undefined;
}

/** Returns the profile of a dialect. */
export function getProfile(dialect: Dialect): DialectProfile {
  return registry[dialect];
}

/** Returns the upstream profile of a dialect. */
export function getUpstreamProfile(dialect: UpstreamDialect): UpstreamProfile {
  return registry[dialect].upstream;
}

/** Returns the profile of the dialect with this name; undefined for any other name (`any`, `plain`). */
export function findProfile(name: string): DialectProfile | undefined {
  return Object.hasOwn(registry, name) ? registry[name as Dialect] : undefined;
}

/** The lowercase names of the headers in which upstreams expect their API key. */
export const keyHeaders: readonly string[] = [
  ...new Set(upstreamDialects.map((dialect) => getUpstreamProfile(dialect).keyHeader.name)),
];
