import { join } from "node:path";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { onTestFinished } from "vitest";
import { pageSource } from "../../src/http/page-source.ts";
import type { ListedAgent } from "../../src/review/agents.ts";
import { listAgents } from "../../src/review/agents.ts";
import type { AgentOrigin } from "../../src/review/api-types.ts";
import type { AskTarget } from "../../src/review/ask/ask-target.ts";
import { createCodeMode } from "../../src/review/code/mode.ts";
import { createRoundStore } from "../../src/review/code/rounds/round-store.ts";
import type { SymbolFiles } from "../../src/review/code/symbols/symbols-client.ts";
import type { ReviewContext } from "../../src/review/context.ts";
import { createEventHub } from "../../src/review/events.ts";
import { createDiffSession } from "../../src/review/git/diff-session.ts";
import { createImagePolicy } from "../../src/review/images/image-policy.ts";
import { createReviewThreads } from "../../src/review/live/review-threads.ts";
import { createReviewServer } from "../../src/review/server.ts";
import { createSession } from "../../src/review/session.ts";
import { createDraftStore } from "../../src/review/storage/drafts.ts";
import { createRecordStore } from "../../src/review/storage/records.ts";
import { createSettingsStore } from "../../src/review/storage/settings.ts";
import { AGENT_TOKEN, PAGE_TOKEN } from "./plan-server.ts";
import type { TestRepository } from "./test-repository.ts";

interface CodeServerOptions {
  readonly origin?: AgentOrigin;
  readonly agents?: readonly ListedAgent[];
  readonly paths?: readonly string[];
  readonly ask?: AskTarget;
  readonly symbolFiles?: () => Promise<SymbolFiles>;
}

export interface CodeServer {
  readonly app: FastifyInstance;
  readonly context: ReviewContext;
  get(path: string): Promise<LightMyRequestResponse>;
  post(path: string, body: unknown): Promise<LightMyRequestResponse>;
}

/** A code review server of a repository, with its stores, that does not listen. */
export async function codeServer(
  tested: TestRepository,
  options: CodeServerOptions = {},
): Promise<CodeServer> {
  const { origin = "origin_b", agents, paths = [], ask, symbolFiles } = options;
  const repository = await tested.open();
  const data = join(tested.outside, "data");
  const mode = createCodeMode({
    diffs: createDiffSession(repository, paths),
    rounds: createRoundStore(data, repository.root),
    editorLink: "vscode://file{path}:{line}",
    symbolFiles,
  });
  const events = createEventHub("session-1");
  const context: ReviewContext = {
    session: createSession(),
    sessionId: "session-1",
    pageToken: PAGE_TOKEN,
    project: repository.root,
    origin,
    caller: {
      name: "OpenCode",
      cwd: repository.root,
      project: repository.name,
      approvalNote: "feedback",
      takesEditedPlan: false,
      takesPermissionMode: false,
      takesAgentSwitch: origin === "origin_b",
    },
    sharingEnabled: true,
    ask,
    mode,
    events,
    threads: createReviewThreads({ dataDirectory: data, reviewId: "review1", token: AGENT_TOKEN, events }),
    drafts: createDraftStore(data),
    settings: createSettingsStore(data, { theme: "system", planSave: { enabled: true } }),
    records: createRecordStore(data),
    images: createImagePolicy({ cwd: repository.root }),
    uploadFolder: join(tested.outside, "tmp"),
    uploadFallback: join(data, "uploads"),
    agents: () => listAgents({ origin, cwd: repository.root, listed: agents }),
  };
  const app = createReviewServer({
    context,
    page: { source: pageSource(() => join(tested.outside, "pages")), name: "code" },
    exposure: { hostnames: [], anyAddress: false, origins: [] },
    onFailure: () => {},
  });
  onTestFinished(async () => {
    await app.close();
    await context.threads.close();
  });
  const headers = { host: "localhost" };
  return {
    app,
    context,
    get: (url) => app.inject({ method: "GET", url, headers }),
    post: (url, body) => app.inject({ method: "POST", url, payload: body as object, headers }),
  };
}
