import { expect, it } from "vitest";
import type { ForgeName } from "../../../src/review/forges/forge.ts";
import { openBranchSearch } from "../../../src/review/forges/open-forge.ts";

/** A pull request of another fork with a branch `patch-1`. */
const OTHER = { pullRequestId: 1, forkSource: { repository: { name: "castle", project: { name: "rook" } } } };

/** First pages of lists by the path of the request: the pull requests of `RESPONSES` are on the second page. */
const FIRST_PAGES: Readonly<Record<string, unknown>> = {
  "/api/v4/projects/keep%2Fcastle/merge_requests": [],
  "/2.0/repositories/keep/castle/pullrequests": {
    values: [],
    next: "https://api.bitbucket.org/2.0/repositories/keep/castle/pullrequests?page=2",
  },
  "/org/keep/_apis/git/repositories/castle/pullrequests": { value: Array.from({ length: 100 }, () => OTHER) },
};
const NEXT = '<https://gitlab.com/api/v4/projects/keep%2Fcastle/merge_requests?page=2>; rel="next"';

/** Responses by the path of the request, without a query. Two forks have a branch `patch-1`, as the repository has. */
const RESPONSES: Readonly<Record<string, unknown>> = {
  "/api/v4/projects/keep%2Fcastle/merge_requests": [
    { iid: 9, project_id: 1, source_project_id: 3 },
    { iid: 8, project_id: 1, source_project_id: 2 },
    { iid: 7, project_id: 1, source_project_id: 1 },
  ],
  "/api/v4/projects/ada%2Fcastle": { id: 2 },
  "/2.0/repositories/keep/castle/pullrequests": {
    values: [
      [9, "wren/castle"],
      [8, "ada/castle"],
      [7, "keep/castle"],
    ].map(([id, full_name]) => ({ id, source: { branch: { name: "patch-1" }, repository: { full_name } } })),
  },
  "/org/keep/_apis/git/repositories/castle/pullrequests": {
    value: [
      { pullRequestId: 9, forkSource: { repository: { name: "castle", project: { name: "wren" } } } },
      { pullRequestId: 8, forkSource: { repository: { name: "castle", project: { name: "ada" } } } },
      { pullRequestId: 7 },
    ],
  },
};

function search(forge: ForgeName, host: string, repository: string) {
  return openBranchSearch(
    { forge, host, repository },
    {
      signIn: { authorization: "Bearer token", secret: "token" },
      fetch: async (url) => {
        const { pathname, searchParams } = new URL(String(url));
        const isSecond = searchParams.has("page") || searchParams.get("$skip") === "100";
        const first = isSecond ? undefined : FIRST_PAGES[pathname];
        if (first) return Response.json(first, { headers: forge === "gitlab" ? { link: NEXT } : {} });
        const found = RESPONSES[pathname];
        return new Response(JSON.stringify(found ?? {}), { status: found ? 200 : 404 });
      },
      onWait: () => {},
      signal: new AbortController().signal,
    },
  );
}

it.each([
  ["gitlab", "gitlab.com", "keep/castle", "ada/castle"],
  ["bitbucket", "bitbucket.org", "keep/castle", "Ada/castle"],
  ["azure", "dev.azure.com", "org/keep/_git/castle", "org/ada/_git/castle"],
] as const)(
  "the pull request of a branch at %s comes from the repository to which the branch is pushed",
  async (forge, host, own, fork) => {
    const find = await search(forge, host, own);
    expect(await find({ name: "patch-1", repository: own })).toBe(7);
    expect(await find({ name: "patch-1", repository: fork })).toBe(8);
  },
);
