import type { McpPrefix } from "../../../config/proxy/mcp-config.ts";
import { asObject } from "../../exchange/json.ts";
import type { RpcParams } from "./json-rpc.ts";

/** For each list method, the result's member with the list, and an item's member with its name, URI or URI template. */
export const LISTS = {
  "tools/list": { member: "tools", id: "name" },
  "prompts/list": { member: "prompts", id: "name" },
  "resources/list": { member: "resources", id: "uri" },
  "resources/templates/list": { member: "resourceTemplates", id: "uriTemplate" },
} as const;

export type ListMethod = keyof typeof LISTS;

/** The notifications that report changed lists. */
export const LIST_CHANGED = [
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
] as const;

export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(LISTS, method);
}

/** Adds the prefix to the name or URI of a list's item, and to the resource that displays a tool's result. */
export function prefixItem(method: ListMethod, item: RpcParams, prefix: McpPrefix): RpcParams {
  const { id } = LISTS[method];
  const known = item[id];
  if (typeof known !== "string") return item;
  const named = { ...item, [id]: `${id === "name" ? prefix.name : prefix.uri}${known}` };
  const _meta = method === "tools/list" ? prefixUi(item["_meta"], prefix) : undefined;
  return _meta === undefined ? named : { ...named, _meta };
}

/** Adds the prefix to the resource that displays a tool's result (MCP Apps). Returns undefined if there is none. */
function prefixUi(meta: unknown, { uri }: McpPrefix): RpcParams | undefined {
  const members = asObject(meta);
  const ui = asObject(members["ui"]);
  const flat = members["ui/resourceUri"];
  if (typeof ui["resourceUri"] !== "string" && typeof flat !== "string") return undefined;
  return {
    ...members,
    ...(typeof ui["resourceUri"] === "string" && {
      ui: { ...ui, resourceUri: `${uri}${ui["resourceUri"]}` },
    }),
    ...(typeof flat === "string" && { "ui/resourceUri": `${uri}${flat}` }),
  };
}

/** Adds the prefix to the resources and tasks that a result names, so that the client can request them. */
export function prefixResult(method: string, result: RpcParams, prefix: McpPrefix): RpcParams {
  if (prefix.uri === "") return result;
  return prefixMeta(prefixTask(prefixResources(method, result, prefix), prefix), prefix);
}

function prefixResources(method: string, result: RpcParams, prefix: McpPrefix): RpcParams {
  if (method === "tools/call" || method === "tasks/result")
    return mapMember(result, "content", (part) => prefixContent(part, prefix));
  if (method === "resources/read") return mapMember(result, "contents", (part) => prefixUri(part, prefix));
  if (method !== "prompts/get") return result;
  return mapMember(result, "messages", (message) => ({
    ...message,
    content: Array.isArray(message["content"])
      ? message["content"].map((part: unknown) => prefixContent(asObject(part), prefix))
      : prefixContent(asObject(message["content"]), prefix),
  }));
}

function mapMember(result: RpcParams, member: string, map: (item: RpcParams) => RpcParams): RpcParams {
  const items = result[member];
  return Array.isArray(items)
    ? { ...result, [member]: items.map((item: unknown) => map(asObject(item))) }
    : result;
}

function prefixContent(part: RpcParams, prefix: McpPrefix): RpcParams {
  if (part["type"] === "resource_link") return prefixUri(part, prefix);
  if (part["type"] !== "resource") return part;
  return { ...part, resource: prefixUri(asObject(part["resource"]), prefix) };
}

/** Adds the prefix to the task and the resource that a server's notification or request concerns. */
export function prefixMessage(
  method: string,
  params: RpcParams | undefined,
  prefix: McpPrefix,
): RpcParams | undefined {
  if (params === undefined || prefix.uri === "") return params;
  const named = method === "notifications/resources/updated" ? prefixUri(params, prefix) : params;
  return prefixMeta(TASK_STATUS.has(method) ? prefixTask(named, prefix) : named, prefix);
}

/** Notifications of a task's state, in revision 2025-11-25 and in the extension of 2026-07-28. */
const TASK_STATUS = new Set(["notifications/tasks/status", "notifications/tasks"]);

/** The member of `_meta` that names the task of a message. */
const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Adds the prefix to the task ids in a result (`taskId` and `task`) and to the result of a completed task. */
function prefixTask(result: RpcParams, prefix: McpPrefix): RpcParams {
  const { taskId, task, result: inner } = result;
  return {
    ...result,
    ...(typeof taskId === "string" && { taskId: `${prefix.uri}${taskId}` }),
    ...(isTask(task) && { task: { ...task, taskId: `${prefix.uri}${task.taskId}` } }),
    ...(typeof taskId === "string" &&
      inner !== undefined && { result: { ...prefixResult("tools/call", asObject(inner), prefix) } }),
  };
}

function isTask(value: unknown): value is { readonly taskId: string } {
  return typeof asObject(value)["taskId"] === "string";
}

function prefixMeta(params: RpcParams, prefix: McpPrefix): RpcParams {
  return mapRelatedTask(params, (taskId) => `${prefix.uri}${taskId}`);
}

/** Removes the prefix from the task that a client's response concerns. */
export function unprefixMeta(result: RpcParams, { uri }: McpPrefix): RpcParams {
  return mapRelatedTask(result, (taskId) => (taskId.startsWith(uri) ? taskId.slice(uri.length) : taskId));
}

function mapRelatedTask(params: RpcParams, map: (taskId: string) => string): RpcParams {
  const meta = asObject(params["_meta"]);
  const related = meta[RELATED_TASK];
  if (!isTask(related)) return params;
  return { ...params, _meta: { ...meta, [RELATED_TASK]: { ...related, taskId: map(related.taskId) } } };
}

function prefixUri(item: RpcParams, prefix: McpPrefix): RpcParams {
  return typeof item["uri"] === "string" ? { ...item, uri: `${prefix.uri}${item["uri"]}` } : item;
}

/** Returns the candidate with the longest prefix of `id`, and the rest of `id`; undefined if no prefix matches. */
export function findByPrefix<Candidate extends { readonly prefix: McpPrefix }>(
  candidates: readonly Candidate[],
  id: string,
  kind: keyof McpPrefix,
): { readonly server: Candidate; readonly rest: string } | undefined {
  let best: Candidate | undefined;
  for (const each of candidates) {
    const text = each.prefix[kind];
    if (id.startsWith(text) && (best === undefined || text.length > best.prefix[kind].length)) best = each;
  }
  return best && { server: best, rest: id.slice(best.prefix[kind].length) };
}
