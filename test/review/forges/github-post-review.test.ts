import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/errors.ts";
import type { OutgoingItem, PullRequest } from "../../../src/review/forges/forge.ts";
import type { GitHubApi } from "../../../src/review/forges/github/api.ts";
import { postReview, settleReview } from "../../../src/review/forges/github/post-review.ts";

const address = { forge: "github", host: "github.com", repository: "wren/castle", number: 7 } as const;

/** GitHub with one review of the person, which was submitted after the attempt began. */
const api = {
  graphql: async (schema: { parse(value: unknown): unknown }) =>
    schema.parse({
      repository: {
        pullRequest: {
          id: "pull",
          reviews: {
            pageInfo: { hasNextPage: false },
            nodes: [
              {
                id: "review",
                state: "COMMENTED",
                body: "",
                url: "https://github.com/wren/castle/pull/7#review",
                viewerDidAuthor: true,
                comments: { nodes: [{ body: "Too high" }] },
              },
            ],
          },
        },
      },
    }),
} as unknown as GitHubApi;

describe("an interrupted post to GitHub", () => {
  it("published the comments of the submitted review, but did not resolve or reopen threads", async () => {
    const text: OutgoingItem = { kind: "file", thread: "t_1", path: "src/wall.txt", body: "Too high" };
    const items: readonly OutgoingItem[] = [
      text,
      { kind: "resolve", thread: "t_2", remote: "r_2" },
      { kind: "reopen", thread: "t_3", remote: "r_3" },
    ];
    const pull = { url: "https://github.com/wren/castle/pull/7" } as PullRequest;
    const review = { pull, verdict: "comment", items, fileOf: () => undefined } as const;
    const attempt = { get: (name: string) => (name === "known" ? [] : undefined), record: async () => {} };
    expect(await settleReview(api, address, review, attempt)).toEqual([text]);
  });
});

describe("a review whose comments GitHub rejects", () => {
  /** GitHub that rejects every comment. `mutations` are the names of the accepted ones. */
  function rejectingApi() {
    const mutations: string[] = [];
    const graphql = async (
      schema: { parse(value: unknown): unknown },
      query: string,
      variables: { readonly input?: { readonly threads?: readonly unknown[] } },
    ) => {
      const name = /\b(\w+)\(input: \$input\)/.exec(query)?.[1];
      const isRejected = name === "addPullRequestReviewThread" || (variables.input?.threads ?? []).length > 0;
      if (isRejected) throw new AppError("forge_rejected", "Line must be part of the diff");
      if (name !== undefined) mutations.push(name);
      return schema.parse({
        repository: {
          pullRequest: { id: "pull", reviews: { pageInfo: { hasNextPage: false }, nodes: [] } },
        },
        addPullRequestReview: { pullRequestReview: { id: "pending" } },
        submitPullRequestReview: { pullRequestReview: { url: "https://github.com/review" } },
      });
    };
    return { api: { graphql } as unknown as GitHubApi, mutations };
  }
  const comment: OutgoingItem = {
    kind: "comment",
    thread: "t_1",
    path: "src/wall.txt",
    side: "new",
    lineStart: 3,
    lineEnd: 3,
    body: "Too high",
  };
  const post = (api: GitHubApi, verdict: OutgoingItem & { readonly kind: "verdict" }) =>
    postReview(
      api,
      address,
      {
        pull: { url: "https://github.com/wren/castle/pull/7", head: { sha: "a" } } as PullRequest,
        verdict: verdict.verdict,
        items: [comment, verdict],
        fileOf: () => undefined,
      },
      { get: () => undefined, record: async () => {} },
    );

  it("does not request changes without a text, and reports that", async () => {
    const { api, mutations } = rejectingApi();
    const verdict = { kind: "verdict", verdict: "request_changes", body: "" } as const;
    const { rejected } = await post(api, verdict);
    expect(mutations).toEqual(["addPullRequestReview", "deletePullRequestReview"]);
    expect(rejected.map(({ item }) => item)).toEqual([comment, verdict]);
    expect(rejected[1]?.reason).toMatch(/^Changes were not requested/);
  });

  it("requests changes with a text, and reports only the comments", async () => {
    const { api, mutations } = rejectingApi();
    const { rejected } = await post(api, { kind: "verdict", verdict: "request_changes", body: "Lower it" });
    expect(mutations).toContain("submitPullRequestReview");
    expect(rejected.map(({ item }) => item)).toEqual([comment]);
  });
});
