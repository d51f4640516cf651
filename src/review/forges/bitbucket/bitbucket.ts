import { z } from "zod";
import { splitMessage } from "../../git/commits.ts";
import { encodePath } from "../address.ts";
import {
  type ConnectionOptions,
  createForgeClient,
  type ForgeClient,
  parseJson,
  readIfFound,
} from "../client.ts";
import type { FindByBranch, Forge, PullAddress, PullRequest, RepositoryAddress } from "../forge.ts";
import { pullNotFound } from "../forge-errors.ts";
import { postEach, settleEach } from "../post-each.ts";
import { toUtc } from "../times.ts";
import { comment, createEach, toThreads } from "./comments.ts";
import { nameOf, person, readValues } from "./values.ts";

/** Creates a client of Bitbucket Cloud's REST API (https://developer.atlassian.com/cloud/bitbucket/rest/). */
export function createBitbucketClient(host: string, options: ConnectionOptions): ForgeClient {
  return createForgeClient({
    forge: "bitbucket",
    host,
    base: host === "bitbucket.org" ? "https://api.bitbucket.org/2.0" : `https://${host}/2.0`,
    ...options,
  });
}

const end = z.object({
  branch: z.object({ name: z.string() }),
  commit: z.object({ hash: z.string() }).nullish(),
  repository: z.object({ full_name: z.string() }).nullish(),
});

const pullSchema = z.object({
  id: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  summary: z.object({ raw: z.string().nullish() }).nullish(),
  state: z.string(),
  draft: z.boolean().nullish(),
  author: person.nullish(),
  source: end,
  destination: end,
  participants: z
    .array(
      z.object({
        user: person,
        role: z.string(),
        state: z.string().nullish(),
        approved: z.boolean().nullish(),
      }),
    )
    .nullish(),
  links: z.object({ html: z.object({ href: z.string() }) }),
});

const commit = z.object({
  hash: z.string(),
  message: z.string(),
  date: z.string(),
  author: z.object({ raw: z.string().nullish(), user: person.nullish() }).nullish(),
});

const status = z.object({
  key: z.string(),
  name: z.string().nullish(),
  state: z.string(),
  url: z.string().nullish(),
});
const STATES: Readonly<Record<string, string>> = {
  SUCCESSFUL: "success",
  FAILED: "failure",
  INPROGRESS: "pending",
  STOPPED: "cancelled",
};

function repositoryPath(repository: string): string {
  return `/repositories/${encodePath(repository)}`;
}

/** Returns a pull request at Bitbucket Cloud. */
export function bitbucketPull(client: ForgeClient, address: PullAddress): Forge {
  const repository = repositoryPath(address.repository);
  const path = `${repository}/pullrequests/${address.number}`;
  /** Path of the repository with the source branch, which can be a fork. */
  let source = repository;
  const each = createEach(client, path);
  return {
    address,
    async open() {
      const response = await client.send({ path, allow: [404] });
      if (response.status === 404) throw pullNotFound(address);
      const pull = parseJson(client, pullSchema, response.body, { path });
      const [head, target] = [pull.source.commit?.hash ?? "", pull.destination.commit?.hash ?? ""];
      if (pull.source.repository) source = repositoryPath(pull.source.repository.full_name);
      return {
        number: pull.id,
        url: pull.links.html.href,
        title: pull.title,
        description: pull.summary?.raw ?? pull.description ?? "",
        author: nameOf(pull.author),
        state: stateOf(pull),
        base: { ref: pull.destination.branch.name, sha: await mergeBase(client, repository, target, head) },
        head: { ref: pull.source.branch.name, sha: head },
        reviewers: (pull.participants ?? [])
          .filter(({ role, approved, state }) => role === "REVIEWER" || approved || state)
          .map(({ user, approved, state }) => ({
            name: nameOf(user),
            state: approved ? "approved" : state?.replaceAll("_", " "),
          })),
      };
    },
    async commits() {
      const commits = await readValues(client, commit, `${path}/commits`);
      return commits
        .map(({ hash, message, date, author }) => ({
          sha: hash,
          ...splitMessage(message),
          author: author?.raw?.replace(/\s*<[^>]*>$/, "") || nameOf(author?.user),
          at: toUtc(date),
        }))
        .reverse();
    },
    async checks() {
      const statuses = await readValues(client, status, `${path}/statuses`);
      return statuses.map(({ key, name, state, url }) => ({
        name: name || key,
        state: STATES[state] ?? state.toLowerCase(),
        url: url || undefined,
      }));
    },
    async threads() {
      return toThreads(await readValues(client, comment, `${path}/comments`));
    },
    async patch() {
      return (await client.send({ path: `${path}/diff`, accept: "text/plain, */*" })).body;
    },
    async commitPatch(sha) {
      return (
        await client.send({ path: `${source}/diff/${encodeURIComponent(sha)}`, accept: "text/plain, */*" })
      ).body;
    },
    async file(name, sha) {
      for (const owner of new Set([source, repository])) {
        const path = `${owner}/src/${encodeURIComponent(sha)}/${encodePath(name)}`;
        const found = await readIfFound(client, { path, accept: "*/*" });
        if (found) return found;
      }
      return undefined;
    },
    post: (review, attempt) => postEach(each, review, attempt),
    settle: (review, attempt) => settleEach(each, review, attempt),
  };
}

function stateOf({ state, draft }: z.infer<typeof pullSchema>): PullRequest["state"] {
  if (state === "MERGED") return "merged";
  return state !== "OPEN" ? "closed" : draft ? "draft" : "open";
}

/** Returns the merge base of two commits, or the target if the forge does not return one. */
async function mergeBase(
  client: ForgeClient,
  repository: string,
  target: string,
  head: string,
): Promise<string> {
  const path = `${repository}/merge-base/${encodeURIComponent(`${target}..${head}`)}`;
  const found = await client.json(z.object({ hash: z.string() }), { path }).catch(() => undefined);
  return found?.hash ?? target;
}

/** Returns a function that finds the open pull request of a branch. */
export function findBitbucketPull(client: ForgeClient, address: RepositoryAddress): FindByBranch {
  return async ({ name, repository }) => {
    const escaped = name.replace(/["\\]/g, "\\$&");
    const query = { q: `source.branch.name="${escaped}" AND state="OPEN"` };
    const path = `${repositoryPath(address.repository)}/pullrequests`;
    const pulls = await readValues(client, z.object({ id: z.number(), source: end }), path, query);
    const wanted = repository.toLowerCase();
    return pulls.find(({ source }) => source.repository?.full_name.toLowerCase() === wanted)?.id;
  };
}
