import { z } from "zod";
import type { ForgeClient } from "../client.ts";
import type { ForgeThread, OutgoingItem } from "../forge.ts";
import { toLineAnchor } from "../line-anchor.ts";
import type { EachForge } from "../post-each.ts";
import { toUtc } from "../times.ts";
import { nameOf, person, readValues } from "./values.ts";

export const comment = z.object({
  id: z.number(),
  content: z.object({ raw: z.string().nullish() }),
  user: person.nullish(),
  created_on: z.string(),
  deleted: z.boolean().nullish(),
  pending: z.boolean().nullish(),
  parent: z.object({ id: z.number() }).nullish(),
  resolution: z.object({ user: person.nullish() }).nullish(),
  inline: z
    .object({
      path: z.string(),
      from: z.number().nullish(),
      to: z.number().nullish(),
      start_from: z.number().nullish(),
      start_to: z.number().nullish(),
      outdated: z.boolean().nullish(),
    })
    .nullish(),
});
type Comment = z.infer<typeof comment>;

/** Groups comments into threads: each reply names its parent comment. */
export function toThreads(comments: readonly Comment[]): readonly ForgeThread[] {
  const byId = new Map(comments.map((one) => [one.id, one]));
  const rootOf = (one: Comment): Comment => {
    let root = one;
    for (let depth = 0; root.parent && depth < comments.length; depth += 1) {
      const parent = byId.get(root.parent.id);
      if (!parent) break;
      root = parent;
    }
    return root;
  };
  const groups = new Map<number, Comment[]>();
  for (const one of comments) {
    // Pending comments are visible only to their author, who publishes them on the forge's page.
    if (one.deleted || one.pending) continue;
    const { id } = rootOf(one);
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  return [...groups].map(([id, group]) => {
    const root = byId.get(id) ?? group[0];
    return {
      id: String(id),
      anchor: anchorOf(root?.inline),
      outdated: root?.inline?.outdated === true,
      resolved: root?.inline ? root.resolution != null : undefined,
      resolvedBy: root?.resolution ? nameOf(root.resolution.user) : undefined,
      takesMessages: true,
      messages: group
        .sort((one, other) => Date.parse(one.created_on) - Date.parse(other.created_on))
        .map((one) => ({
          id: String(one.id),
          author: nameOf(one.user),
          at: toUtc(one.created_on),
          markdown: one.content.raw ?? "",
        })),
    };
  });
}

function anchorOf(inline: Comment["inline"]): ForgeThread["anchor"] {
  if (!inline) return { kind: "review" };
  const isNew = inline.to != null;
  const last = inline.to ?? inline.from;
  if (last == null) return { kind: "file", path: inline.path };
  const first = (isNew ? inline.start_to : inline.start_from) ?? last;
  return toLineAnchor(inline.path, isNew ? "new" : "old", first, last);
}

/** Returns the calls that post a review: Bitbucket publishes each comment immediately. */
export function createEach(client: ForgeClient, path: string): EachForge {
  return {
    async list() {
      const [comments, own] = await Promise.all([
        readValues(client, comment, `${path}/comments`),
        // A repository access token has no account.
        client.json(person, { path: "/user" }).catch(() => undefined),
      ]);
      return comments
        .filter(
          ({ user, deleted, pending }) => !deleted && !pending && (!own?.uuid || user?.uuid === own.uuid),
        )
        .map(({ id, content }) => ({ id: String(id), body: content.raw ?? "" }));
    },
    async create(item) {
      const json = { content: { raw: item.body }, ...positionOf(item) };
      await client.send({ method: "POST", path: `${path}/comments`, json });
    },
    async changeState({ kind, remote }) {
      const method = kind === "resolve" ? "POST" : "DELETE";
      // 409: the thread already has that state.
      await client.send({
        method,
        path: `${path}/comments/${encodeURIComponent(remote)}/resolve`,
        allow: [409],
      });
    },
    async vote(verdict) {
      const route = verdict === "approve" ? "approve" : "request-changes";
      await client.send({ method: "POST", path: `${path}/${route}`, allow: [409] });
    },
  };
}

function positionOf(item: OutgoingItem): object {
  if (item.kind === "reply") return { parent: { id: Number(item.remote) } };
  if (item.kind === "file") return { inline: { path: item.path } };
  if (item.kind !== "comment") return {};
  const { path, side, lineStart, lineEnd } = item;
  const isRange = lineStart < lineEnd;
  const lines =
    side === "new"
      ? { to: lineEnd, ...(isRange ? { start_to: lineStart } : {}) }
      : { from: lineEnd, ...(isRange ? { start_from: lineStart } : {}) };
  return { inline: { path, ...lines } };
}
