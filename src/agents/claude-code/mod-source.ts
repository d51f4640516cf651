/**
 * Returns the hooks module of the Claude Code mod, in plain JavaScript: Claude Code runs the module without Node.js,
 * and passes it functions as members of `$`. The session continues during the review of a plan: the module denies the
 * call of ExitPlanMode with the URL, sends the decision as a message, and lets the approved plan pass at the next call.
 * In a session without a user interface, the call waits for the decision instead.
 */
export function modSource(argv: readonly string[]): string {
  return `const COMMAND = ${JSON.stringify(argv)};

/** Ids of the reviews whose comments the module waits for. */
const followed = new Set();

/** \`review\`: the review of the plan that waits for a decision; \`approved\`: the plan that passes at its next call. */
const plans = { review: undefined, approved: undefined };

/** The parts of the status line by their subject. */
const statuses = new Map();

/** @type {import("claude-code").Register} */
export const register = (on) => {
  on("session.start", async ($, e, next) => {
    await $.command.register({
      name: "sallyport",
      description: "Open the changes for review in the browser; your comments reach Claude when you send them",
      argumentHint: "[path...]",
      immediate: true,
    });
    return next(e);
  });

  on("session.end", ($, e, next) => {
    plans.approved = undefined;
    plans.review?.end();
    plans.review = undefined;
    show($, "plan", undefined);
    return next(e);
  });

  on("command.run", { command: "sallyport" }, async ($, e) => {
    const paths = e.args.split(/\\s+/).filter((path) => path !== "");
    const opened = await $.process.run(
      [...COMMAND, "review", "code", "--live", "--detach", "--reuse", "--agent", "claude-code", "--origin", "claude-code", ...paths],
      { timeoutMs: 60_000 },
    );
    if (opened.exitCode !== 0) return { text: opened.stderr.trim(), isTextDisplayOnly: true, exitCode: opened.exitCode };
    const { id, url } = JSON.parse(opened.stdout);
    if (!followed.has(id)) {
      followed.add(id);
      follow($, id, url)
        .catch((error) => $.ui.log("" + error.message))
        .finally(() => {
          followed.delete(id);
          show($, id, undefined);
        });
    }
    return { text: "The review is open at " + url + ". Your comments reach Claude when you send them.", isTextDisplayOnly: true };
  });

  on("classic.PermissionRequest", { tool_name: "ExitPlanMode" }, async ($, e, next) => {
    const plan = e.tool_input?.plan;
    if (typeof plan !== "string" || plan.trim() === "") return next(e);
    const { approved } = plans;
    plans.approved = undefined;
    if (approved?.plan === plan) return { decision: approved.decision };
    plans.review?.end();
    const review = startPlanReview($, e);
    plans.review = review;
    // The person has decided in the dialog or has interrupted the turn.
    next.signal?.addEventListener("abort", review.end);
    // A session without a surface ends with its turn, so a later message would be lost.
    if ((await $.session.surfaces()).length === 0) {
      const decision = await review.decision;
      return decision ? { decision } : next(e);
    }
    const url = await review.url;
    if (url === undefined) return next(e);
    next.signal?.removeEventListener("abort", review.end);
    show($, "plan", "plan review at " + url);
    review.decision
      .then((decision) => receive($, decision, plan, review))
      .catch((error) => $.ui.log("" + error.message));
    return { decision: { behavior: "deny", message: waiting(url) } };
  });
};

/** Sets or removes a part of the status line. */
function show($, about, text) {
  if (text === undefined) statuses.delete(about);
  else statuses.set(about, text);
  $.ui.status(statuses.size === 0 ? undefined : [...statuses.values()].join(" · "));
}

/** Sends the person's decision to the model as a message. */
async function receive($, decision, plan, review) {
  if (plans.review !== review) return;
  plans.review = undefined;
  show($, "plan", undefined);
  if (decision === undefined) {
    $.ui.log("The review ended without a decision. Ask Claude to present the plan again.");
    return;
  }
  if (decision.behavior === "allow") plans.approved = { plan, decision };
  const text = decision.behavior === "allow" ? approval(decision, plan) : decision.message;
  const { drop } = await $.prompt.submit({ text });
  if (drop !== undefined) $.ui.log("The decision was not delivered: " + drop + ". sallyport review last prints it.");
}

/** Starts the review of a plan. Resolves \`url\` when the page can be opened, \`decision\` when the person has decided. */
function startPlanReview($, event) {
  const child = $.process.spawn({
    argv: [...COMMAND, "review", "plan"],
    input: JSON.stringify({ ...event, hook_event_name: "PermissionRequest" }),
  });
  let foundUrl = () => {};
  const url = new Promise((resolve) => {
    foundUrl = resolve;
  });
  const read = async () => {
    let stdout = "";
    let stderr = "";
    for await (const { stream, text } of child) {
      if (stream === "stdout") stdout += text;
      else stderr += text;
      const found = /https?:\\/\\/localhost:\\d+\\S*/.exec(stderr)?.[0];
      if (found !== undefined && stderr.includes("\\n")) foundUrl(found);
    }
    if (stdout === "") return undefined;
    return JSON.parse(stdout).hookSpecificOutput?.decision;
  };
  const decision = read().catch(() => undefined).finally(() => foundUrl(undefined));
  return { url, decision, end: () => void child.return?.() };
}

/** Sends each batch of the person's comments to the model until the review has ended. */
async function follow($, id, url) {
  show($, id, "review at " + url);
  for (;;) {
    const batch = await readOutput($, ["review", "wait", "--id", id, "--json"]);
    if (batch === undefined) return;
    const { event, threads, feedback } = JSON.parse(batch);
    const isOver = event !== "feedback";
    if (!isOver || threads.length > 0 || feedback.trim() !== "") {
      const text = await readOutput($, ["review", "wait", "--id", id, "--again"]);
      const { drop } = await $.prompt.submit({ text: text + "\\n\\n" + (isOver ? "" : steps(id)) });
      if (drop !== undefined) $.ui.log("The comments were not delivered: " + drop);
    } else $.ui.log(event === "approved" ? "The person approved the changes." : "The review has ended.");
    if (isOver) return;
  }
}

/** Resolves to the output of the command, or undefined if it fails. */
async function readOutput($, args) {
  let stdout = "";
  const child = $.process.spawn({ argv: [...COMMAND, ...args] });
  for (;;) {
    const { done, value } = await child.next();
    if (done) return value.code === 0 ? stdout : undefined;
    if (value.stream === "stdout") stdout += value.text;
  }
}

function waiting(url) {
  return (
    "The plan is open for review in the browser at " + url + ". The person has not decided yet, and the decision arrives as " +
    "a later message. Tell the person the URL and end your turn now. Stay in plan mode, and do not call ExitPlanMode again " +
    "until the message arrives or the person asks for a change."
  );
}

function approval({ updatedInput }, plan) {
  const edited = updatedInput?.plan !== undefined && updatedInput.plan !== plan;
  return (
    "The person approved the plan in the browser. Call ExitPlanMode again now, with the plan unchanged: it passes without " +
    "another question. If plan mode is already off, carry out the plan." +
    (edited ? "\\n\\nThis is the approved text, with the person's changes:\\n\\n" + updatedInput.plan : "")
  );
}

function steps(id) {
  const command = COMMAND.map((part) => (/^[\\w@%+=:,./-]+$/.test(part) ? part : "'" + part + "'")).join(" ");
  return (
    "Handle every thread above: change the code, or answer. Then reply in each one with \`" + command + " review reply THREAD " +
    "--id " + id + " --author claude-code --text TEXT\`, with \`--resolve\` if the thread is settled. Then run \`" + command +
    " review refresh --id " + id + "\`, so that the person sees your changes, and end your turn: the next comments arrive as " +
    "a message."
  );
}
`;
}
