import type { WebSocket } from "ws";

/**
 * Calls `ping` every `pingMs` milliseconds until the client's WebSocket is closed, so that no load balancer or firewall
 * closes an idle connection. Never calls it if `pingMs` is 0.
 */
export function keepOpen(client: WebSocket, pingMs: number, ping: () => void): void {
  if (pingMs === 0) return;
  const timer = setInterval(ping, pingMs).unref();
  client.once("close", () => clearInterval(timer));
}
