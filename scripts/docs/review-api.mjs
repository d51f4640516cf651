// Describes the routes of the review server as an OpenAPI document. Their types are those that the pages use.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "../bundle.mjs";
import { readTypeSchemas } from "./type-schemas.mjs";

/**
 * The routes by the kind of review that has them. A key is the method, the path and the query parameters (optional ones
 * with `?`); a value is the summary, the type or media type of the response, and the type of the body.
 */
const ROUTES = {
  "Every review": {
    "GET /api/agents": ["Lists the agents that can continue the work", "AgentsResponse"],
    "GET /api/image path": ["Returns a local or uploaded image", "image/*"],
    "POST /api/upload": ["Stores an image", "UploadResponse", "multipart/form-data"],
    "GET /api/draft": ["Returns the stored draft", "Draft"],
    "PUT /api/draft": ["Stores a draft, or returns a newer one with status 409", "StoredDraft", "DraftBody"],
    "GET /api/history": ["Returns the earlier rounds of the plan", "History"],
    "GET /api/settings": ["Returns the settings of the pages", "ReviewSettings"],
    "PUT /api/settings": ["Changes the settings that the body has", "ReviewSettings", "ReviewSettings"],
    "GET /api/events": ["Streams events to the page", "text/event-stream"],
    "GET /api/ask/prompt thread? anchor? question?": ["Returns the prompt of a question", "AskPrompt"],
    "POST /api/ask": ["Asks the configured model, and streams its response", "text/event-stream", "AskBody"],
    "GET /api/threads": ["Lists the threads", "ThreadList"],
    "POST /api/threads": ["Opens a thread", "Thread", "NewThreadBody"],
    "POST /api/threads/{id}/messages": ["Adds a message to a thread", "Thread", "NewMessageBody"],
    "PATCH /api/threads/{id}": ["Changes the state of a thread", "Thread", "ThreadChangeBody"],
    "GET /api/reviews": ["Lists the other open reviews", "ReviewList"],
  },
  "Plan reviews": {
    "GET /api/plan": ["Returns the plan under review", "PlanState"],
    "POST /api/approve": ["Approves the plan", "DecisionResponse", "ApproveBody"],
    "POST /api/deny": ["Rejects the plan", "DecisionResponse", "DenyBody"],
    "GET /api/notes/vaults": ["Lists the vaults of Obsidian that exist", "VaultList"],
  },
  "Code reviews": {
    "GET /api/diff": ["Returns the diff with its whole patch", "DiffState"],
    "POST /api/diff/switch": ["Creates a diff again, and shows it", "DiffSwitchResponse", "DiffSwitchBody"],
    "POST /api/feedback": ["Sends feedback, and ends the review", "DecisionResponse", "FeedbackBody"],
    "GET /api/diff/index w?": ["Returns the files of the diff", "DiffIndex"],
    "GET /api/diff/patch n id? w?": ["Returns the patches of files, concatenated", "text/plain"],
    "GET /api/diff/sizes id? w?": ["Returns the sizes of binary files", "DiffSizes"],
    "GET /api/diff/image path side id? w?": ["Returns one side of an image", "image/*"],
    "GET /api/file path side id? w?": ["Returns the text of one side of a file", "FileText"],
    "GET /api/diff/rounds w?": ["Returns earlier feedback on this branch", "DiffRounds"],
    "GET /api/diff/interdiff round?": ["Returns the changes since earlier feedback", "DiffInterdiff"],
    "GET /api/diff/moves id? w?": ["Returns the moved lines", "DiffMoves"],
    "GET /api/diff/mechanical id? w?": ["Returns the files with mechanical changes only", "DiffMechanical"],
    "GET /api/diff/symbols id? w?": ["Returns the changed symbols", "DiffSymbols"],
    "GET /api/diff/references name? id? w?": ["Finds a name in the changed files", "DiffReferences"],
    "GET /api/notebook path side id? w?": ["Returns one side of a notebook by cells", "NotebookFile"],
    "GET /api/notebook/image path side cell output id? w?": ["Returns an image of a notebook", "image/*"],
    "GET /api/diff/notebook path id? w?": ["Compares a notebook by cells", "NotebookDiff"],
    "GET /api/commits": ["Lists the commits under review", "CommitList"],
    "GET /api/revisions text?": ["Finds branches, tags and commits", "RevisionList"],
  },
  "Reviews of pull requests": {
    "GET /api/pr": ["Returns the pull request", "PullState"],
    "POST /api/pr/preview": ["Returns what a review would post", "PullPreview", "PreviewBody"],
    "POST /api/pr/post": ["Posts a previewed review", "PostResponse", "PostBody"],
  },
  "Live reviews": {
    "GET /api/live": ["Returns the state of the review", "LiveState"],
    "POST /api/send": ["Sends everything new to the agent", "Done", "SendBody"],
    "POST /api/finish": ["Approves, or ends the review without approval", "DecisionResponse", "FinishBody"],
    "POST /api/wait": ["Waits for the next batch of comments", "WaitResponse", "WaitBody"],
    "POST /api/batches/{id}": ["Confirms that a batch was received", "Done"],
    "POST /api/refresh": ["Creates the diff or reads the plan again", "RefreshResponse"],
    "POST /api/status": ["Shows what the agent is doing", "Done", "StatusBody"],
    "POST /api/end": ["Ends the review", "Done"],
  },
  Inbox: {
    "GET /api/inbox": ["Lists the open reviews, and those decided today", "InboxContent"],
  },
};

/** Descriptions of the parameters in queries and paths. */
const PARAMETERS = {
  anchor: "Anchor of a thread, as JSON",
  cell: "Number of the cell, from 1",
  id: "Id of the diff on the page; the status is 409 if another diff has replaced it",
  n: "Numbers of files in the index, such as `3` or `0-49,60`",
  name: "Name to find",
  output: "Number of the cell's output, from 1",
  path: "Path of the file",
  question: "Text of the question",
  round: "Number of the round; the last one by default",
  side: "`old` or `new`",
  text: "Part of a name or message, or the first characters of a commit's id",
  thread: "Id of a thread",
  w: "`1` leaves out changes that are only whitespace",
};

/** Returns the OpenAPI document of the review server. */
export function describeReviewApi(version) {
  const folder = resolve(root, "src/review");
  const files = readdirSync(folder).filter((name) => name.endsWith("api-types.ts"));
  const schemas = readTypeSchemas(files.sort().map((name) => resolve(folder, name)));
  const paths = {};
  for (const [tag, routes] of Object.entries(ROUTES))
    for (const [route, content] of Object.entries(routes)) {
      const [method, path, ...query] = route.split(" ");
      paths[path] ??= {};
      paths[path][method.toLowerCase()] = { tags: [tag], ...describeOperation(path, query, content) };
    }
  return { openapi: "3.1.0", info: { title: "Review API", version }, paths, components: { schemas } };
}

/** Returns the parameters that a path such as `/api/threads/{id}` contains. */
export function listPathParameters(path) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function describeOperation(path, query, [summary, response, body]) {
  const inQuery = query.map((parameter) =>
    describeParameter(parameter.replace("?", ""), !parameter.endsWith("?")),
  );
  return {
    summary,
    parameters: [...listPathParameters(path), ...inQuery],
    ...(body && { requestBody: { required: true, content: describeContent(body) } }),
    responses: {
      200: { description: "Success", content: describeContent(response) },
      default: { description: "Error", content: describeContent("ErrorResponse") },
    },
  };
}

function describeParameter(name, required) {
  const description = PARAMETERS[name];
  if (!description) throw new Error(`scripts/docs/review-api.mjs has no text for the parameter ${name}`);
  return { name, in: "query", required, description, schema: { type: "string" } };
}

/** Describes content by its media type, or by a type whose JSON it is. */
function describeContent(type) {
  if (type === "multipart/form-data") {
    const file = { type: "string", format: "binary" };
    return { [type]: { schema: { type: "object", properties: { file }, required: ["file"] } } };
  }
  if (type.includes("/")) return { [type]: { schema: { type: "string" } } };
  return { "application/json": { schema: { $ref: `#/components/schemas/${type}` } } };
}
