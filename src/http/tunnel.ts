import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { buildConnector, errors } from "undici";
import { urlHost, withoutBrackets } from "../config/loopback.ts";
import type { OutboundProxy } from "../config/outbound-proxy.ts";
import { systemErrorCode } from "../errors.ts";

/** The error of an HTTP proxy that could not be reached or that refused to connect to the origin. */
export class TunnelError extends Error {
  readonly code = "ERR_PROXY_TUNNEL";
}

/**
 * Creates undici's connector to an origin through an HTTP proxy. It uses CONNECT (RFC 9110, section 9.3.6) for http and
 * https, so that the proxy sees neither headers nor keys of an https call. undici's `ProxyAgent` is not used, because
 * it drops all but one of several headers of the same name. `connectMs` limits the tunnel and the TLS handshake
 * separately; 0 is no limit.
 */
export function createTunnelConnector(proxy: OutboundProxy, connectMs: number): buildConnector.connector {
  const connectTls = buildConnector({ timeout: connectMs });
  return (options, callback) => {
    openTunnel(proxy, formatTarget(options), connectMs).then(
      (socket) => {
        if (options.protocol === "https:") connectTls({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

function formatTarget({ hostname, port, protocol }: buildConnector.Options): string {
  return `${urlHost(hostname)}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function openTunnel(proxy: OutboundProxy, target: string, connectMs: number): Promise<Socket> {
  const { protocol, hostname, port } = new URL(proxy.url);
  const host = withoutBrackets(hostname);
  return new Promise((resolve, reject) => {
    const ask = protocol === "https:" ? requestHttps : requestHttp;
    const request = ask({
      host,
      // Without a name, Node.js would check the HTTP proxy's certificate for the target in the Host header.
      servername: isIP(host) === 0 ? host : "",
      port: port || (protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      agent: false,
      headers: {
        host: target,
        ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }),
      },
    });
    const timer =
      connectMs > 0
        ? setTimeout(() => request.destroy(new errors.ConnectTimeoutError()), connectMs)
        : undefined;
    request.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket.setNoDelay(true));
        return;
      }
      socket.destroy();
      reject(new TunnelError(`the HTTP proxy ${proxy.url} refused to connect (status ${statusCode})`));
    });
    request.once("error", (error) => {
      clearTimeout(timer);
      if (error instanceof errors.ConnectTimeoutError) reject(error);
      else {
        const why = systemErrorCode(error) ?? "not an HTTP proxy";
        reject(new TunnelError(`the HTTP proxy ${proxy.url} failed (${why})`, { cause: error }));
      }
    });
    request.end();
  });
}
