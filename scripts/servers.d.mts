export type ServerName = "redis" | "postgresql";
export interface FoundServer {
  folder: string;
  env: Record<string, string>;
}
export function findServer(name: ServerName, path?: string, folder?: string): FoundServer;
export function ensureServers(): Promise<void>;
export interface PostgresData {
  command: [program: string, ...args: string[]];
  options: { uid?: number; gid?: number; env: Record<string, string | undefined>; cwd: string };
}
export function createPostgresData(folder: string, password: string, flags?: readonly string[]): PostgresData;
