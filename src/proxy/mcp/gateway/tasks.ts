import { asObject } from "../../exchange/json.ts";
import type { GatewayServer } from "./access.ts";
import { RPC_ERRORS, RpcFailure, type RpcParams } from "./json-rpc.ts";
import { findByPrefix } from "./names.ts";
import { getMeta, META } from "./revisions.ts";

/**
 * Tasks: part of revision 2025-11-25, an extension since 2026-07-28. A task's id has the prefix of its server.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Requests that concern one task. */
export const BY_TASK: ReadonlySet<string> = new Set([
  "tasks/get",
  "tasks/result",
  "tasks/cancel",
  "tasks/update",
]);

/** Tasks whose owner is remembered. */
const MAX_OWNERS = 10_000;

/**
 * The keys that created tasks. A server to which the proxy signs in for all of its clients cannot distinguish them, so a
 * key may not use the tasks of another one.
 */
export class TaskOwners {
  private readonly keys = new Map<string, string>();

  /** Remembers the owner of the task that a result creates. */
  note(server: string, result: RpcParams | undefined, key: string): void {
    const { taskId } = result?.["resultType"] === "task" ? result : asObject(result?.["task"]);
    if (typeof taskId !== "string") return;
    this.keys.set(toTaskKey(server, taskId), key);
    const [oldest] = this.keys.keys();
    if (this.keys.size > MAX_OWNERS && oldest !== undefined) this.keys.delete(oldest);
  }

  /** Returns whether a key may use a task: its own, or one that another process has created. */
  allows(server: string, taskId: string, key: string): boolean {
    return (this.keys.get(toTaskKey(server, taskId)) ?? key) === key;
  }
}

function toTaskKey(server: string, taskId: string): string {
  return `${server}\n${taskId}`;
}

/** Returns the server of a task, and the server's own id of it. Throws `RpcFailure` if there is none. */
export function findTask(
  servers: readonly GatewayServer[],
  taskId: unknown,
): { readonly server: GatewayServer; readonly rest: string } {
  const found = typeof taskId === "string" ? findByPrefix(servers, taskId, "uri") : undefined;
  if (found === undefined) throw unknownTask(taskId);
  return found;
}

export function unknownTask(taskId: unknown): RpcFailure {
  return new RpcFailure(RPC_ERRORS.invalidParams, `Task not found: ${String(taskId)}`);
}

/** Returns the task capabilities of all servers together, without `list`, which would mix clients; undefined if there are none. */
export function mergeTaskCapabilities(capabilities: readonly RpcParams[]): RpcParams | undefined {
  const known = capabilities.flatMap(({ tasks }) => (tasks === undefined ? [] : [asObject(tasks)]));
  if (known.length === 0) return undefined;
  const requests = known.map((each) => asObject(each["requests"]));
  return {
    ...(known.some(({ cancel }) => cancel !== undefined) && { cancel: {} }),
    ...(requests.length > 0 && { requests: Object.assign({}, ...requests) }),
  };
}

/** Returns whether the client of a request of revision 2026-07-28 supports tasks. */
export function knowsTasks(params: RpcParams | undefined): boolean {
  const capabilities = asObject(getMeta(params)[META.clientCapabilities]);
  return asObject(capabilities["extensions"])[TASKS_EXTENSION] !== undefined;
}
