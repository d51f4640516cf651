import type { ProxyConfig } from "../../../config/proxy/config.ts";

/** A proxy as `proxy start` handles it, in this process or in several others. */
export interface Serving {
  /** Resolves to the port once every call to it is answered. Rejects with `port_in_use` or `cannot_listen`. */
  listen(): Promise<number>;
  /** Puts another configuration in force everywhere. Rejects where it cannot be used; the old one then stays. */
  reload(config: ProxyConfig): Promise<void>;
  /** Has the dashboard say why another configuration was not put in force. */
  noteRefused(reason: string): void;
  /** Tells load balancers that it stops soon; calls go on being served. */
  announceStop(): Promise<void>;
  /** Takes nothing new from when it has resolved. */
  refuse(): Promise<void>;
  /** Resolves, after `refuse`, when nothing is being served any more. */
  drained(): Promise<void>;
  /** Ends everything at once; resolves when it is over and everything is written. */
  close(): Promise<void>;
  /** Rejects when it cannot go on. */
  readonly broken: Promise<never>;
}
