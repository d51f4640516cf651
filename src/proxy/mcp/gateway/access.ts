import type { ProxyConfig, ProxyKey } from "../../../config/proxy/config.ts";
import type { McpPrefix, McpServerConfig } from "../../../config/proxy/mcp-config.ts";
import { matchesGlob } from "../../glob.ts";

/** A server, with the permissions of one key. */
export interface GatewayServer {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly prefix: McpPrefix;
  /** Whether the key may use the whole server. */
  readonly isWhole: boolean;
  /** Returns whether the key may use a tool or prompt, by the server's own name for it. */
  allows(name: string): boolean;
}

type Patterns = ProxyKey["mcp"];

/** Returns the servers that a key may use, in the order of the configuration. */
export function listVisibleServers(
  { mcp }: Pick<ProxyConfig, "mcp">,
  key: Pick<ProxyKey, "mcp"> | undefined,
): GatewayServer[] {
  return [...mcp].flatMap(([name, config]) => {
    const names = config.enabled ? getAllowedNames(key?.mcp, name) : undefined;
    if (names === undefined) return [];
    return [
      {
        name,
        config,
        prefix: config.prefix,
        isWhole: names === "all",
        allows: (item: string) => names === "all" || names.some((pattern) => matchesGlob(pattern, item)),
      },
    ];
  });
}

/**
 * Returns the patterns of the tools and prompts of a server that a key's patterns (`NAME` or `NAME/TOOL`) allow.
 * Returns `all` if the whole server is allowed, and undefined if nothing is.
 */
export function getAllowedNames(patterns: Patterns, server: string): "all" | readonly string[] | undefined {
  if (patterns === undefined) return "all";
  const names: string[] = [];
  for (const pattern of patterns) {
    const slash = pattern.indexOf("/");
    if (!matchesGlob(slash < 0 ? pattern : pattern.slice(0, slash), server)) continue;
    if (slash < 0) return "all";
    names.push(pattern.slice(slash + 1));
  }
  return names.length === 0 ? undefined : names;
}

/** Returns whether two configurations of a server have equal content. A reload creates new objects for all servers. */
export function isSameServer(one: GatewayServer["config"], other: GatewayServer["config"]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
