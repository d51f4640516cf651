import { join } from "node:path";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { onTestFinished } from "vitest";
import { pageSource } from "../../src/http/page-source.ts";
import type { ListedAgent } from "../../src/review/agents.ts";
import { listAgents } from "../../src/review/agents.ts";
import type { AgentOrigin } from "../../src/review/api-types.ts";
import type { ReviewContext } from "../../src/review/context.ts";
import { createEventHub } from "../../src/review/events.ts";
import { createImagePolicy, type ImagePolicyOptions } from "../../src/review/images/image-policy.ts";
import { createReviewThreads } from "../../src/review/live/review-threads.ts";
import type { AgentChannel } from "../../src/review/plan/agent-channel.ts";
import { jsonChannel } from "../../src/review/plan/generic-channel.ts";
import { createPlanMode } from "../../src/review/plan/mode.ts";
import { createPlanId } from "../../src/review/plan/plan-id.ts";
import type { PlanReview } from "../../src/review/plan/plan-review.ts";
import { planTitle } from "../../src/review/plan/plan-title.ts";
import { createReviewServer } from "../../src/review/server.ts";
import { createSession } from "../../src/review/session.ts";
import { createDraftStore } from "../../src/review/storage/drafts.ts";
import { openHistory } from "../../src/review/storage/history.ts";
import { createRecordStore } from "../../src/review/storage/records.ts";
import { createSettingsStore } from "../../src/review/storage/settings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The token that a page of a test's server sends in `x-sallyport-page`. */
export const PAGE_TOKEN = "page-token-of-a-test";

/** The token that a test's server expects from agents. */
export const AGENT_TOKEN = "agent-token-of-a-test-with-32-characters";

export const PLAN = "# Dig the tunnel\n\n- [ ] dig\n";

interface PlanServerOptions {
  readonly plan?: string;
  readonly origin?: AgentOrigin;
  readonly channel?: AgentChannel;
  readonly agents?: readonly ListedAgent[];
  readonly confined?: ImagePolicyOptions["confined"];
  readonly folder?: string;
  readonly missing?: string;
  /** Reads the file of a live plan. */
  readonly reload?: NonNullable<PlanReview["reload"]>;
}

interface PlanServer {
  readonly app: FastifyInstance;
  readonly context: ReviewContext;
  /** Contains `data`, `tmp`, `home` and `project`. */
  readonly folder: string;
  readonly failures: unknown[];
  post(path: string, body: unknown): Promise<LightMyRequestResponse>;
}

/** A plan server with its stores in a temporary folder, which does not listen. */
export async function planServer(options: PlanServerOptions = {}): Promise<PlanServer> {
  const { plan = PLAN, origin = "origin_b", missing, reload } = options;
  const folder = options.folder ?? (await temporaryFolder());
  const at = (name: string) => join(folder, name);
  const channel = options.channel ?? jsonChannel(origin);
  const title = planTitle(plan);
  // Awaited, so that nothing is written after the folder is removed.
  const history = await openHistory({ dataDirectory: at("data"), cwd: at("project"), title, plan });
  const source = { folder: at("project"), origin, caller: channel.callerName };
  const mode = createPlanMode({
    plan,
    planId: createPlanId(plan, source),
    source,
    title,
    channel,
    permissionMode: "plan",
    missing,
    ...(reload && { reload }),
    history: Promise.resolve(history),
    plansFolder: join(folder, "data", "plans"),
    vaultFolders: { home: at("home"), configHome: at("config") },
  });
  const events = createEventHub("session-1");
  const context: ReviewContext = {
    session: createSession(),
    sessionId: "session-1",
    pageToken: PAGE_TOKEN,
    project: at("project"),
    origin,
    caller: { name: channel.callerName, cwd: at("project"), project: "project", ...channel.takes },
    sharingEnabled: true,
    mode,
    events,
    threads: createReviewThreads({
      dataDirectory: at("data"),
      reviewId: "review1",
      token: AGENT_TOKEN,
      events,
    }),
    drafts: createDraftStore(at("data")),
    settings: createSettingsStore(at("data"), { theme: "system", planSave: { enabled: true } }),
    records: createRecordStore(at("data")),
    images: createImagePolicy({
      cwd: at("project"),
      ...(options.confined ? { confined: options.confined } : {}),
    }),
    uploadFolder: join(folder, "tmp", "sallyport"),
    uploadFallback: at("uploads"),
    agents: () => listAgents({ origin, cwd: folder, listed: options.agents }),
  };
  const failures: unknown[] = [];
  const app = createReviewServer({
    context,
    page: { source: pageSource(() => at("pages")), name: "plan" },
    exposure: { hostnames: [], anyAddress: false, origins: [] },
    onFailure: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await app.close();
    await context.threads.close();
  });
  const post = (path: string, body: unknown) =>
    app.inject({ method: "POST", url: path, payload: body as object, headers: { host: "localhost" } });
  return { app, context, folder, failures, post };
}
