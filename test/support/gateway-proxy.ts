import { appendFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createProxy } from "../../src/proxy/create-proxy.ts";
import type {
  AuditView,
  CallDetailView,
  CallView,
  HealthView,
  KeyView,
  SettingsView,
  TeamView,
  UsageRowView,
} from "../../src/proxy/gateway/admin-api-types.ts";
import { createKeyDirectory } from "../../src/proxy/gateway/key-directory.ts";
import { type OpenGateway, openGateway } from "../../src/proxy/gateway/open-gateway.ts";
import { recordLine } from "../../src/proxy/observability/request-log.ts";
import type { Location } from "./databases.ts";
import { sqliteWorkerFiles } from "./sqlite-worker.ts";
import { configOf } from "./start-proxy.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface DocumentedOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly required: boolean };
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
}

/** The members of all responses; a response has those of its route. */
export interface AdminBody {
  readonly key: KeyView;
  readonly keys: readonly KeyView[];
  readonly secret: string;
  readonly team: TeamView;
  readonly teams: readonly TeamView[];
  readonly call: CallDetailView;
  readonly calls: readonly CallView[];
  readonly rows: readonly UsageRowView[];
  readonly entries: readonly AuditView[];
  readonly next_cursor: string | null;
  readonly replicas: HealthView["replicas"];
  readonly capture: HealthView["capture"];
  readonly settings: SettingsView["settings"];
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly error: { readonly code: string; readonly message: string };
}

export interface AdminResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AdminBody;
  readonly text: string;
}

/** A proxy with a database, on its own socket, until the test ends. */
export interface GatewayProxy {
  readonly url: string;
  readonly gateway: OpenGateway;
  /** The secret of the first start's admin key. */
  readonly admin: string;
  /** What was printed. */
  readonly notes: readonly string[];
  /** Errors that are defects. */
  readonly internal: readonly unknown[];
  /** Sends a request to the admin API; a text body is sent unchanged. `key: ""` sends none. */
  request(method: string, path: string, body?: unknown, key?: string): Promise<AdminResponse>;
}

export async function startGatewayProxy(
  location: Location,
  settings: object = {},
  environment: Record<string, string> = {},
): Promise<GatewayProxy> {
  const log = join(await temporaryFolder(), "requests.ndjson");
  writeFileSync(log, "");
  const config = configOf({ auth_mode: "strict", ...settings }, environment);
  const directory = createKeyDirectory();
  const notes: string[] = [];
  const internal: unknown[] = [];
  let admin = "";
  const gateway = await openGateway({
    location,
    workerFiles: sqliteWorkerFiles,
    log,
    config: () => config,
    onKeys: async (snapshot) => directory.replace(snapshot),
    keepAdminKey: async (secret) => {
      admin = secret;
    },
    note: (line) => notes.push(line),
    signal: new AbortController().signal,
  });
  const server = createProxy(config, {
    log: {
      add(record) {
        appendFileSync(log, `${recordLine(record)}\n`);
        gateway.ledger.wake();
      },
      afterWrite: (run) => run(),
      refused: () => {},
      close: async () => {},
    },
    onInternal: (error) => internal.push(error),
    gateway: { directory, store: async () => gateway.store, state: () => gateway.state() },
  });
  onTestFinished(async () => {
    await server.close();
    await gateway.close();
  });
  await server.app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
  return {
    url,
    gateway,
    admin,
    notes,
    internal,
    async request(method, path, body, key = admin) {
      const response = await fetch(`${url}/api/admin/v1${path}`, {
        method,
        headers: {
          ...(key !== "" && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      const { status, headers } = response;
      return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
    },
  };
}
