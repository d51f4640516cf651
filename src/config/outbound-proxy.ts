import { BlockList, isIP } from "node:net";
import { AppError } from "../errors.ts";
import { isLoopback, withoutBrackets } from "./loopback.ts";
import type { Environment } from "./paths.ts";

/** An HTTP proxy through which this machine connects to upstreams and other servers. */
export interface OutboundProxy {
  /** The environment variable that names the proxy. */
  readonly variable: string;
  /** The origin of the proxy, without credentials. */
  readonly url: string;
  /** The value of `proxy-authorization`. */
  readonly authorization: string | undefined;
  /** The password, decoded and as written in the URL. */
  readonly secrets: readonly string[];
}

/** The HTTP proxies that the environment names, by scheme, and the hosts that are reached without them. */
export interface OutboundProxies {
  readonly http: OutboundProxy | undefined;
  readonly https: OutboundProxy | undefined;
  /** The entries of NO_PROXY, in lower case. */
  readonly exceptions: readonly string[];
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; lower-case names take precedence, as in curl. Throws
 * `configuration` with the name of a variable whose value is not the URL of an HTTP proxy, except for a SOCKS proxy in
 * ALL_PROXY, which is ignored.
 */
export function readOutboundProxies(environment: Environment): OutboundProxies {
  const all = isSocks(environment, "ALL_PROXY") ? undefined : proxyIn(environment, "ALL_PROXY");
  const [, exceptions = ""] = readVariable(environment, "NO_PROXY") ?? [];
  return {
    http: proxyIn(environment, "HTTP_PROXY") ?? all,
    https: proxyIn(environment, "HTTPS_PROXY") ?? all,
    exceptions: exceptions
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  };
}

/** Returns the proxy for an origin; undefined if there is none, and for loopback and the entries of NO_PROXY. */
export function proxyFor(proxies: OutboundProxies, origin: string): OutboundProxy | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const proxy = protocol === "https:" ? proxies.https : proxies.http;
  const host = withoutBrackets(hostname).toLowerCase().replace(/\.$/, "");
  if (proxy === undefined || isLoopback(host) || host.endsWith(".localhost")) return undefined;
  const portNumber = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return proxies.exceptions.some((entry) => isException(entry, host, portNumber)) ? undefined : proxy;
}

/** Describes the proxies in use without credentials: one text per scheme, then one for the exceptions, if any. */
export function describeProxies({ http, https, exceptions }: OutboundProxies): string[] {
  const describe = (scheme: string, proxy: OutboundProxy | undefined) =>
    proxy === undefined ? [] : [`${scheme} through ${proxy.url} (${proxy.variable})`];
  const used = [...describe("https", https), ...describe("http", http)];
  if (used.length === 0 || exceptions.length === 0) return used;
  return [...used, `except ${exceptions.join(", ")} (NO_PROXY)`];
}

function readVariable(environment: Environment, name: string): [variable: string, value: string] | undefined {
  for (const variable of [name.toLowerCase(), name]) {
    const value = environment[variable]?.trim();
    if (value) return [variable, value];
  }
  return undefined;
}

/**
 * Returns whether a variable names a SOCKS proxy. ALL_PROXY applies to other programs too, so a SOCKS proxy in it is
 * ignored.
 */
function isSocks(environment: Environment, name: string): boolean {
  return /^socks/i.test(readVariable(environment, name)?.[1] ?? "");
}

function proxyIn(environment: Environment, name: string): OutboundProxy | undefined {
  const [variable = "", value] = readVariable(environment, name) ?? [];
  if (value === undefined) return undefined;
  // curl and Go read HOST:PORT as an http URL.
  const text = /^[^/?#]+:\d+\/?$/.test(value) && !/^\w+:\/\//.test(value) ? `http://${value}` : value;
  try {
    const { protocol, hostname, origin, username, password } = new URL(text);
    if (!/^https?:$/.test(protocol) || hostname === "") throw refused(variable);
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    const isOpen = user === "" && secret === "";
    return {
      variable,
      url: origin,
      authorization: isOpen ? undefined : `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`,
      secrets: [secret, password],
    };
  } catch {
    throw refused(variable);
  }
}

/** Returns the error for a variable, without its value, which may contain a password. */
function refused(variable: string): AppError {
  return new AppError("configuration", `Cannot use ${variable}: it is not the URL of an HTTP proxy`, {
    hint: `Set ${variable} to http://HOST:PORT or https://HOST:PORT (SOCKS is not supported), or unset it.`,
  });
}

/**
 * Returns whether an entry of NO_PROXY matches a host: `*`, a name with its subdomains, an address or a CIDR range,
 * each with or without a port.
 */
function isException(entry: string, host: string, port: string): boolean {
  const [, bracketed, plain = "", itsPort] = /^(?:\[(.+)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  if (itsPort !== undefined && itsPort !== port) return false;
  const pattern = bracketed ?? plain;
  if (pattern === "*") return true;
  const name = pattern.replace(/^\*?\./, "");
  if (name === "") return false;
  if (isIP(host) !== 0) return isSameAddress(pattern, host);
  return host === name || host.endsWith(`.${name}`);
}

function isSameAddress(pattern: string, address: string): boolean {
  const [network = "", bits] = pattern.split("/");
  const family = isIP(network);
  if (family === 0) return false;
  const longest = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? longest : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > longest) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 6 ? "ipv6" : "ipv4");
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
