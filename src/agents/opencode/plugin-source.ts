import { OWN_MARK } from "../file-edits/own-file.ts";
import type { OpenCodeProgram } from "./programs.ts";

/**
 * Returns the source of a plugin for OpenCode or Kilo: plain JavaScript without package imports, because both silently
 * skip a plugin whose packages they cannot find. The plugin starts `sallyport review plan`, passes it the plan and, in
 * OpenCode, the agents that the person can switch to, and returns the decision to the model as text. With `live`, the
 * review stays open for the session's next plan.
 */
export function pluginSource(
  argv: readonly string[],
  { name, planTool, sendsMessages }: Pick<OpenCodeProgram, "name" | "planTool" | "sendsMessages">,
  live = false,
): string {
  const command = [...argv, "review", "plan", ...(live ? ["--live"] : []), "--origin", "opencode", "--json"];
  const instead = planTool === undefined ? "" : `Call it instead of ${planTool}. `;
  if (name !== "OpenCode") command.push("--agent", name);
  return `// ${OWN_MARK}
import { spawn } from "node:child_process";

const COMMAND = ${JSON.stringify(command)};

export const Sallyport = async ({ client }) => ({${planTool === undefined ? "" : ALLOW_IN_PLAN_MODE}
  tool: {
    submit_plan: {
      description:
        "Submit a finished plan to the person, who reviews it in the browser. Call it once the plan is complete and " +
        "before any of it is carried out. ${instead}It waits for the decision, however long that takes. If the plan is not " +
        "approved, revise it according to the result and submit it again.",
      args: { plan: { type: "string", description: "The whole plan, as Markdown." } },
      async execute({ plan }, context) {
        const agents = ${sendsMessages ? "await listAgents(client, context.directory)" : "[]"};
        const decision = await review({ plan, origin: "origin_b", agents, cwd: context.directory }, context);
        const agent = decision.agentSwitch ?? context.agent;
        if (decision.agentSwitch) await sendMessage(client, context, agent, "The plan is approved. Continue as " + agent + ".");
        const text = decision.decision === "approve" ? approved(decision) : revise(decision.feedback);
        if (${sendsMessages ? "!isCutOff(text)" : "true"}) return text;
        await sendMessage(client, context, agent, text);
        return "The decision is in the message that follows.";
      },
    },
  },
});

async function listAgents(client, directory) {
  try {
    const { data } = await client.app.agents({ query: { directory } });
    return (data ?? []).map(({ name, description, mode, hidden }) => ({ name, description, mode, hidden }));
  } catch {
    return [];
  }
}

/** Runs the review; ends it when the person cancels the tool call. */
function review(envelope, { abort, directory${live ? ", sessionID" : ""} }) {
  return new Promise((resolve, reject) => {
    const [program, ...given] = COMMAND;
    const args = ${live ? '[...given, "--agent-session=" + sessionID]' : "given"};
    // On Windows a bare name is an npm script, which needs a shell. A shell would split a path at spaces.
    const shell = process.platform === "win32" && !/[\\\\/]/.test(program);
    const child = spawn(program, args, { cwd: directory, shell });
    const output = [];
    let notes = "";
    const end = () => child.kill("SIGTERM");
    if (abort?.aborted) end();
    else abort?.addEventListener("abort", end, { once: true });
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => { notes = (notes + chunk).slice(-4000); });
    child.on("error", reject);
    child.on("close", (code) => {
      try {
        resolve(JSON.parse(Buffer.concat(output).toString("utf8")));
      } catch {
        reject(new Error("The review ended without a decision (exit code " + code + "). Ask the person here instead.\\n" + notes));
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(envelope));
  });
}

function revise(feedback) {
  return "The person did not approve the plan. Revise it as described below, then call submit_plan again.\\n\\n" + (feedback ?? "");
}

function approved({ feedback, plan }) {
  const notes = feedback ? " They added these notes, which belong to the task:\\n\\n" + feedback : "";
  const edited = plan ? "\\n\\nThey edited the plan. Carry out this version:\\n\\n" + plan : "";
  return "The person approved the plan." + notes + edited;
}

/** Returns whether a tool's result could exceed 2000 lines or 50 KB, above which it is cut off; a message is not. */
function isCutOff(text) {
  return Buffer.byteLength(text) > 40_000 || text.split("\\n").length > 1500;
}

/** Adds a message without requesting a reply. The session continues with the agent. */
async function sendMessage(client, context, agent, text) {
  await client.session.prompt({
    path: { id: context.sessionID },
    body: { agent, noReply: true, parts: [{ type: "text", text }] },
  });
}
`;
}

/** Kilo's plan mode allows only the tools that its configuration names. */
const ALLOW_IN_PLAN_MODE = `
  async config(settings) {
    const { plan } = (settings.agent ??= {});
    settings.agent.plan = { ...plan, permission: { submit_plan: "allow", ...plan?.permission } };
  },`;
