import { join } from "node:path";
import type { Environment } from "../paths.ts";
import { secretText } from "../secret-sources.ts";
import type { McpOauth, McpPrefix, McpProgram, McpServerConfig } from "./mcp-config.ts";
import { type Found, headerTexts, type Refuse } from "./resolve.ts";
import type { ProxySettings } from "./schema.ts";
import { environmentValue } from "./upstreams.ts";

/** Returns the configured MCP servers. */
export function resolveMcp(
  settings: ProxySettings,
  environment: Environment,
  found: Found,
  refuse: Refuse,
): Map<string, McpServerConfig> {
  expectDistinctPrefixes(settings, refuse);
  return new Map(
    Object.entries(settings.mcp).map(([name, server]): [string, McpServerConfig] => {
      const headers = headerTexts(server.headers, found);
      for (const [header, variable] of Object.entries(server.header_env)) {
        const value = environmentValue(environment, variable);
        if (!value && server.enabled)
          refuse(["mcp", name, "header_env", header], `the environment variable ${variable} is not set`);
        if (value) headers[header.toLowerCase()] = value;
      }
      const { enabled, url, prefix = name } = server;
      const program = toProgram(server, environment, found);
      const oauth = toOauth(name, server, found);
      return [name, { enabled, url, headers, prefix: createPrefix(prefix), program, oauth }];
    }),
  );
}

/** Returns the sign-in of an MCP server; undefined if it needs none. */
function toOauth(name: string, { oauth }: ProxySettings["mcp"][string], found: Found): McpOauth | undefined {
  if (oauth === undefined) return undefined;
  const { client_id, client_secret, scope, redirect_port } =
    oauth === true ? ({} as Exclude<typeof oauth, true>) : oauth;
  return {
    clientId: client_id,
    clientSecret: client_secret === undefined ? undefined : secretText(client_secret, found.secrets),
    scope,
    redirectPort: redirect_port ?? 0,
    file: join(found.dataDirectory ?? "", "proxy", "mcp", `${name}.json`),
  };
}

/**
 * Returns the program of an MCP server; undefined for a server over HTTP. Its environment has only the variables that
 * the configuration names and, on Windows, SystemRoot.
 */
function toProgram(
  { command, args, env, inherit_env, cwd, client_requests }: ProxySettings["mcp"][string],
  environment: Environment,
  found: Found,
): McpProgram | undefined {
  if (command === undefined) return undefined;
  // Windows programs do not start without SystemRoot.
  const needed = process.platform === "win32" ? ["SystemRoot"] : [];
  const inherited = [...needed, ...inherit_env].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = Object.entries(env).map(([name, value]) => [name, secretText(value, found.secrets)] as const);
  const all = Object.fromEntries([...inherited, ...own]);
  return {
    command,
    args,
    env: all,
    cwd,
    sendsRequests: client_requests,
    path: environment["PATH"] ?? environment["Path"],
  };
}

const SECRET_VARIABLE = /key|token|secret|pass|auth|credential/i;

/** Returns the values of a program's variables whose names suggest a secret. */
export function listProgramSecrets({ env }: McpProgram): string[] {
  return Object.entries(env).flatMap(([name, value]) => (SECRET_VARIABLE.test(name) ? [value] : []));
}

/** Rejects servers with the same prefix, because `/mcp` could not distinguish their tools. */
function expectDistinctPrefixes({ mcp }: ProxySettings, refuse: Refuse): void {
  const known: { readonly name: string; readonly prefix: McpPrefix }[] = [];
  for (const [name, { prefix: text = name }] of Object.entries(mcp)) {
    const prefix = createPrefix(text);
    const other = known.find((each) => each.prefix.name === prefix.name || each.prefix.uri === prefix.uri);
    if (other !== undefined)
      refuse(
        ["mcp", name, "prefix"],
        `is also the prefix of the server ${other.name}; give one of them another prefix`,
      );
    known.push({ name, prefix });
  }
}

/** Returns the prefixes of a server's names and URIs. `text` is the configured prefix. */
function createPrefix(text: string): McpPrefix {
  if (text === "") return { name: "", uri: "" };
  const scheme = text.toLowerCase().replace(/[^a-z0-9.-]/g, "-");
  // A scheme begins with a letter (RFC 3986, section 3.1).
  const valid = /^[a-z]/.test(scheme) ? scheme : `mcp-${scheme}`;
  // Vendors accept only these characters in names of tools.
  return { name: `${text.replace(/[^A-Za-z0-9_-]/g, "_")}__`, uri: `${valid}+` };
}
