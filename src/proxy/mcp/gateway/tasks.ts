import { asObject } from "../../exchange/json.ts";
import type { GatewayServer } from "./access.ts";
import { RPC_ERRORS, RpcFailure, type RpcParams } from "./json-rpc.ts";
import { findByPrefix } from "./names.ts";
import { getMeta, META } from "./revisions.ts";

/**
 * The extension for tasks. Tasks are part of revision 2025-11-25 and an extension since 2026-07-28.
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

/** Maximum number of tasks whose owner is stored. */
const MAX_OWNERS = 10_000;

/**
 * Stores the key that created each task, for the last `MAX_OWNERS` tasks. A server to which the proxy signs in for all
 * clients does not distinguish the clients, so the gateway must not let a key use the tasks of another key.
 */
export class TaskOwners {
  private readonly keys = new Map<string, string>();

  /** Stores the owner of a task, if the result contains a new task. */
  note(server: string, result: RpcParams | undefined, key: string): void {
    const { taskId } = result?.["resultType"] === "task" ? result : asObject(result?.["task"]);
    if (typeof taskId !== "string") return;
    this.keys.set(toTaskKey(server, taskId), key);
    const [oldest] = this.keys.keys();
    if (this.keys.size > MAX_OWNERS && oldest !== undefined) this.keys.delete(oldest);
  }

  /** Returns whether a key may use a task: one of its own, or one whose owner is not stored. */
  allows(server: string, taskId: string, key: string): boolean {
    return (this.keys.get(toTaskKey(server, taskId)) ?? key) === key;
  }
}

function toTaskKey(server: string, taskId: string): string {
  return `${server}\n${taskId}`;
}

/** Returns the server of a task, and the server's own id of the task. Throws `RpcFailure` if no server matches. */
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

/**
 * Returns the task capabilities of all servers; undefined if there are none. Removes `list`, which would return the
 * tasks of other clients.
 */
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
