export type ServerName = "redis" | "postgresql";
export interface FoundServer {
  folder: string;
  env: Record<string, string>;
}
export function findServer(name: ServerName, path?: string, folder?: string): FoundServer;
export function ensureServers(): Promise<void>;
