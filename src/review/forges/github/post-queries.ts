import { z } from "zod";

/** GraphQL queries and mutations that post a review, and the schemas of their responses. */

export const reviewNode = z.object({
  id: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  url: z.string(),
  viewerDidAuthor: z.boolean(),
  comments: z.object({ nodes: z.array(z.object({ body: z.string() })) }),
});
export type ReviewNode = z.infer<typeof reviewNode>;

export const OWN_REVIEWS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { id
    reviews(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id state body url viewerDidAuthor comments(first: 100) { nodes { body } } }
    }
  } }
}`;

export const ownReviews = z.object({
  repository: z.object({
    pullRequest: z.object({
      id: z.string(),
      reviews: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
        nodes: z.array(reviewNode),
      }),
    }),
  }),
});

export const began = z.object({
  addPullRequestReview: z.object({ pullRequestReview: z.object({ id: z.string() }) }),
});
export const submitted = z.object({
  submitPullRequestReview: z.object({ pullRequestReview: z.object({ url: z.string() }) }),
});
export const BEGIN = `mutation ($input: AddPullRequestReviewInput!) {
  addPullRequestReview(input: $input) { pullRequestReview { id } }
}`;
export const ADD_THREAD = `mutation ($input: AddPullRequestReviewThreadInput!) {
  addPullRequestReviewThread(input: $input) { thread { id } }
}`;
export const ADD_THREAD_MESSAGE = `mutation ($input: AddPullRequestReviewThreadReplyInput!) {
  addPullRequestReviewThreadReply(input: $input) { comment { id } }
}`;
export const SUBMIT = `mutation ($input: SubmitPullRequestReviewInput!) {
  submitPullRequestReview(input: $input) { pullRequestReview { url } }
}`;
export const DELETE = `mutation ($input: DeletePullRequestReviewInput!) {
  deletePullRequestReview(input: $input) { pullRequestReview { id } }
}`;
export const RESOLVE = `mutation ($input: ResolveReviewThreadInput!) {
  resolveReviewThread(input: $input) { thread { id } }
}`;
export const REOPEN = `mutation ($input: UnresolveReviewThreadInput!) {
  unresolveReviewThread(input: $input) { thread { id } }
}`;
