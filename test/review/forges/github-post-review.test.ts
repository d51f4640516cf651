import { describe, expect, it } from "vitest";
import type { OutgoingItem, PullRequest } from "../../../src/review/forges/forge.ts";
import type { GitHubApi } from "../../../src/review/forges/github/api.ts";
import { settleReview } from "../../../src/review/forges/github/post-review.ts";

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
