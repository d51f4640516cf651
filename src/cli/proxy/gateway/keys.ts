import type { ZodError } from "zod";
import { processEnvironment } from "../../../config/paths.ts";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { captureSchema } from "../../../config/proxy/limits.ts";
import type { ProxyFlags } from "../../../config/proxy/settings.ts";
import { AppError } from "../../../errors.ts";
import { configuredKeys, expectChangeable, findKey } from "../../../proxy/gateway/configured-keys.ts";
import { type KeyPatch, newKeySchema, ROLES, type VirtualKey } from "../../../proxy/gateway/key-schemas.ts";
import type { KeyStore } from "../../../proxy/gateway/key-store.ts";
import { parseSpan } from "../../../proxy/gateway/time-span.ts";
import type { Output } from "../../output.ts";
import { readProxyConfiguration } from "../../proxy-configuration.ts";
import { table } from "../../table.ts";
import { type LimitFlags, parseLimitsPatch, parseTags, type Removable } from "./limit-flags.ts";
import { printMembers } from "./print-members.ts";
import { parseTimeFlag } from "./time-flags.ts";
import { COMMAND_LINE, withKeyStore } from "./with-key-store.ts";

export interface KeyFlags extends ProxyFlags, LimitFlags {
  readonly json: boolean;
  readonly team?: Removable<string>;
  readonly models?: Removable<string>;
  readonly mcp?: Removable<string>;
  readonly expires?: Removable<string>;
  readonly role?: string;
  readonly grace?: string;
  readonly capture?: string;
}

/** Runs `sallyport proxy keys create NAME`: prints the new secret, with `--json` also the key. */
export async function createKey(name: string, flags: KeyFlags, output: Output): Promise<number> {
  const parsed = newKeySchema.safeParse({ name, ...keyMembers(flags) });
  if (!parsed.success) throw new AppError("usage", describeIssue(parsed.error));
  const { key, secret } = await withKeyStore(processEnvironment, flags, (store) =>
    store.create(parsed.data, COMMAND_LINE),
  );
  return showSecret(key, secret, flags, output);
}

export async function listKeys(flags: KeyFlags, output: Output): Promise<number> {
  const config = await readConfig(flags);
  const stored = await withKeyStore(processEnvironment, flags, (store) => store.list());
  const configured = configuredKeys(config);
  const keys = [...stored, ...configured];
  if (flags.json) {
    await output.result(JSON.stringify({ keys }, null, 2));
    return 0;
  }
  const rows = keys.map((key) => [key.name, key.team ?? "", key.role, getKeyState(key), key.source]);
  const none = "There are no keys. Create one: sallyport proxy keys create NAME";
  await output.result(rows.length === 0 ? none : table(["name", "team", "role", "state", "kept in"], rows));
  return 0;
}

export async function showKey(name: string, flags: KeyFlags, output: Output): Promise<number> {
  const find = (store: KeyStore) =>
    findKey(
      async () => store,
      name,
      () => readConfig(flags),
    );
  return print(await withKeyStore(processEnvironment, flags, find), flags, output);
}

export async function updateKey(name: string, flags: KeyFlags, output: Output): Promise<number> {
  const patch: KeyPatch = keyMembers(flags);
  return print(await changed(name, flags, (store) => store.update(name, patch, COMMAND_LINE)), flags, output);
}

export async function revokeKey(name: string, flags: KeyFlags, output: Output): Promise<number> {
  return print(await changed(name, flags, (store) => store.revoke(name, COMMAND_LINE)), flags, output);
}

export async function rotateKey(name: string, flags: KeyFlags, output: Output): Promise<number> {
  const graceMs = flags.grace === undefined ? 0 : parseSpan(flags.grace);
  if (graceMs === undefined)
    throw new AppError("usage", `--grace ${flags.grace} is not a time span such as 24h`);
  const { key, secret } = await changed(name, flags, (store) => store.rotate(name, graceMs, COMMAND_LINE));
  return showSecret(key, secret, flags, output);
}

/** Changes a key of the database. Throws `usage` for a key that only the configuration file can change. */
function changed<Result>(
  name: string,
  flags: KeyFlags,
  task: (store: KeyStore) => Promise<Result>,
): Promise<Result> {
  return withKeyStore(processEnvironment, flags, async (store) => {
    await expectChangeable(
      async () => store,
      name,
      () => readConfig(flags),
    );
    return task(store);
  });
}

async function readConfig(flags: KeyFlags): Promise<ProxyConfig> {
  return (await readProxyConfiguration(processEnvironment, flags, false)).config;
}

/** `default`: the value of `proxy.capture`. */
const CAPTURES = [...captureSchema.options, "default"] as const;

/** Returns the members of a key that the flags set or remove. Throws `usage` for invalid values. */
function keyMembers(flags: KeyFlags): KeyPatch {
  const tags = parseTags(flags.tag);
  const role = ROLES.find((known) => known === flags.role);
  if (flags.role !== undefined && role === undefined)
    throw new AppError("usage", `--role ${flags.role} is not one of ${ROLES.join(", ")}`);
  const capture = CAPTURES.find((known) => known === flags.capture);
  if (flags.capture !== undefined && capture === undefined)
    throw new AppError("usage", `--capture ${flags.capture} is not one of ${CAPTURES.join(", ")}`);
  return {
    ...(capture !== undefined && { capture: capture === "default" ? null : capture }),
    team: flags.team === false ? null : flags.team,
    models: parsePatterns("--models", flags.models),
    mcp: parsePatterns("--mcp", flags.mcp),
    expires_at: flags.expires === false ? null : flags.expires && parseExpiry(flags.expires),
    tags,
    role,
    limits: parseLimitsPatch(flags),
  };
}

/**
 * Returns the patterns of a list; null if the flag removes the list (`--no-models`); undefined without a flag. Throws
 * `usage` for an empty list.
 */
function parsePatterns(flag: string, text: Removable<string> | undefined): string[] | null | undefined {
  if (text === undefined) return undefined;
  if (text === false) return null;
  const patterns = text.split(",").filter((pattern) => pattern !== "");
  if (patterns.length === 0) throw new AppError("usage", `${flag} has no pattern`);
  return patterns;
}

/** Returns a message that names the invalid member of a key and the reason. */
function describeIssue({ issues: [issue] }: ZodError): string {
  return `The key's ${issue?.path.join(".")}: ${issue?.message}`;
}

function getKeyState({ revoked_at, expires_at }: VirtualKey): string {
  if (revoked_at !== null) return "revoked";
  if (expires_at === null) return "valid";
  return Date.parse(expires_at) <= Date.now() ? "expired" : `until ${expires_at.slice(0, 10)}`;
}

async function showSecret(key: VirtualKey, secret: string, flags: KeyFlags, output: Output): Promise<number> {
  if (!flags.json) output.note(`The secret of ${key.name}; it is not shown again:`);
  await output.result(flags.json ? JSON.stringify({ key, secret }, null, 2) : secret);
  return 0;
}

function print(key: VirtualKey, flags: KeyFlags, output: Output): Promise<number> {
  return printMembers("key", key, flags, output);
}

/** Converts a date, or a time span from now, to a time in ISO 8601. Throws `usage`. */
function parseExpiry(text: string): string {
  const toTime = (ms: number) => Date.now() + ms;
  return new Date(parseTimeFlag("--expires", text, { toTime, example: "30d" })).toISOString();
}
