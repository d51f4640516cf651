import { dirname } from "node:path";
import { type Change, changesToInstall, readText } from "../../agents/file-edits/changes.ts";
import { showChanges } from "../../agents/file-edits/show-changes.ts";
import { writeChanges } from "../../agents/file-edits/write-changes.ts";
import { unattendedLine } from "../../agents/own-command.ts";
import { reviewedAgentNamed } from "../../agents/registry.ts";
import { accessKeychain } from "../../config/keychain.ts";
import { processEnvironment } from "../../config/paths.ts";
import { withoutUrlSecrets } from "../../config/proxy/secrets.ts";
import { AppError } from "../../errors.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { noteError, type Output } from "../output.ts";
import { connect, planConnection } from "../proxy/connect/connect.ts";
import { isAnswering } from "../proxy/connect/connection.ts";
import { installService, planService } from "../proxy/service/service.ts";
import { confirm, describeMissingTerminal } from "../setup/carry-out.ts";
import { install } from "../setup/install.ts";
import { currentInstallTarget, openReceipts, requireRepository } from "../setup/install-target.ts";
import { table } from "../table.ts";
import { listHints, type Proposal, proposeSteps } from "./propose.ts";
import { detectSituation, type FoundUpstream, type InitFlags, type Situation } from "./situation.ts";

/** The state of a step. `skipped`: the step on which it depends was not carried out. */
type StepState = "proposed" | "done" | "declined" | "skipped" | "failed";

interface StepReport extends Proposal {
  readonly state: StepState;
  readonly files: readonly string[];
  readonly diff: string;
  readonly error?: string;
}

/**
 * The changes that a step makes. A step has no preview if its changes depend on the models of a proxy that does not run
 * yet.
 */
interface Preview {
  readonly changes: readonly Change[];
  readonly secrets?: readonly string[];
}

/** The exit code after Ctrl-C: 128 plus the number of SIGINT. */
const INTERRUPTED = 130;
const PROXY_START_MS = 10_000;
const POLL_MS = 200;

/**
 * Runs `sallyport init`: prints what it found, and for each missing step shows the diff, asks, and carries it out.
 * Resolves to 130 after Ctrl-C at a question, otherwise to the exit code of the first step that failed, or to 0. Throws
 * `usage`, after the diffs, if steps need a confirmation that it cannot request.
 */
export async function init(flags: InitFlags, output: Output): Promise<number> {
  requireRepository(flags);
  const situation = await detectSituation(flags);
  for (const line of describeSituation(situation)) output.note(line);
  const proposals = proposeSteps(situation, flags);
  const missing = flags.yes ? undefined : describeMissingTerminal();
  const onlyShow = flags.dryRun || missing !== undefined;
  const steps: StepReport[] = [];
  let exitCode = 0;
  for (const proposal of proposals) {
    const needed = steps.find(({ id }) => id === proposal.needs);
    const leaveOut = onlyShow || (flags.yes && proposal.part === "proxy" && !flags.proxy);
    const isBlocked = needed !== undefined && needed.state !== "done" && !leaveOut;
    try {
      const report: StepReport | undefined = isBlocked
        ? { ...proposal, state: "skipped", files: [], diff: "" }
        : await takeStep(proposal, situation, { ...flags, leaveOut }, output);
      if (report === undefined) {
        exitCode = INTERRUPTED;
        break;
      }
      steps.push(report);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      noteError(output, error, proposal.title);
      steps.push({ ...proposal, state: "failed", files: [], diff: "", error: error.message });
      if (exitCode === 0) exitCode = error.exitCode;
    }
  }
  const hints = [
    ...(await listProxyHints(steps, flags, onlyShow)),
    ...listHints(situation, flags, proposals),
  ];
  for (const hint of hints) output.note(hint);
  await output.result(
    flags.json
      ? JSON.stringify({ found: withoutSecrets(situation), steps, hints }, null, 2)
      : formatSteps(steps, situation),
  );
  if (!flags.dryRun && missing !== undefined && steps.length > 0)
    throw new AppError("usage", `No changes made: ${missing}`, {
      hint: `To carry out the steps above, run: ${await formatUnattendedCommand({
        ...flags,
        proxy: proposals.some(({ part }) => part === "proxy"),
      })}`,
    });
  return exitCode;
}

/**
 * Shows the diff of a step, asks unless `yes` is set, and carries it out. With `leaveOut`, only shows the diff.
 * Resolves to undefined after Ctrl-C.
 */
async function takeStep(
  proposal: Proposal,
  situation: Situation,
  flags: InitFlags & { readonly leaveOut: boolean },
  output: Output,
): Promise<StepReport | undefined> {
  output.note(`\n${proposal.title}`, "essential");
  const preview =
    (await previewStep(proposal, situation, flags)) ??
    (flags.leaveOut ? undefined : await previewStarted(proposal, situation, flags));
  const diff = preview ? showChanges(preview.changes, preview.secrets) : "";
  output.note(
    preview ? diff : "The changes depend on the models of the proxy, which is not running yet.",
    "diff",
  );
  const report = { ...proposal, files: preview?.changes.map(({ path }) => path) ?? [], diff };
  if (flags.leaveOut) return { ...report, state: "proposed" };
  const reply = flags.yes ? "yes" : await confirm("Write these changes?", process.stdin, process.stderr);
  if (reply === "interrupted") return undefined;
  if (reply === "no") return { ...report, state: "declined" };
  await carryOutStep(proposal, situation, flags, preview, withoutDiffs(output));
  return { ...report, state: "done" };
}

async function previewStep(
  { kind, agent = "" }: Proposal,
  situation: Situation,
  flags: InitFlags,
): Promise<Preview | undefined> {
  switch (kind) {
    case "hook": {
      const target = await currentInstallTarget(flags.project);
      const { edits } = await reviewedAgentNamed(agent).install();
      return { changes: await changesToInstall(edits(target), openReceipts(agent, "review")) };
    }
    case "keys":
      return { changes: await planConfiguration(situation) };
    case "service":
      return planService(flags);
    case "connection":
      return planConnection(agent, flags);
  }
}

async function carryOutStep(
  { kind, agent = "" }: Proposal,
  situation: Situation,
  { project, config, envFile }: InitFlags,
  preview: Preview | undefined,
  output: Output,
): Promise<void> {
  switch (kind) {
    case "hook":
      await install(agent, { project, yes: true }, output);
      return;
    case "keys":
      return keepKeys(situation, preview?.changes ?? []);
    case "service":
      await installService({ config, envFile, print: false, yes: true, json: false }, output);
      return;
    case "connection":
      await connect(agent, { config, project, print: false, yes: true }, output);
  }
}

/**
 * Returns the preview of a step once the started service responds, or after 10 s, because the settings of some agents
 * list its models.
 */
async function previewStarted(
  proposal: Proposal,
  situation: Situation,
  flags: InitFlags,
): Promise<Preview | undefined> {
  const { url } = situation.proxy;
  const end = performance.now() + PROXY_START_MS;
  while (url !== null && performance.now() < end && !(await isAnswering(url)))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return previewStep(proposal, situation, flags);
}

/**
 * Returns the output for the command of a step. It drops the command's diff and result, which `init` prints
 * itself.
 */
function withoutDiffs(output: Output): Output {
  return {
    ...output,
    note: (text, kind) => (kind === "diff" ? undefined : output.note(text, kind)),
    result: async () => true,
  };
}

function describeSituation({
  agents,
  repository,
  upstreams,
  keys,
  configuration,
  proxy,
}: Situation): readonly string[] {
  const agentNames = agents.map(({ name }) => name).join(", ");
  const upstreamNames = upstreams.map(({ name }) => name).join(", ");
  const rows = [
    ["agents", agentNames || "none on the PATH"],
    ["repository", repository ?? "none"],
    ["API keys", keys.join(", ") || "none in the environment"],
    ["upstreams", upstreamNames || "none"],
    ["configuration", configuration.exists ? configuration.path : `${configuration.path} (not found)`],
    ["proxy", proxy.running ? `runs at ${proxy.url}` : `not running; service ${proxy.service}`],
  ];
  return rows.map(([title = "", text]) => `${title.padEnd(15)}${text}`);
}

/** Returns the situation without the credentials in the URLs of upstreams. Pure. */
export function withoutSecrets(situation: Situation): Situation {
  const upstreams = situation.upstreams.map((upstream) => ({
    ...upstream,
    baseUrl: withoutUrlSecrets(upstream.baseUrl),
  }));
  return { ...situation, upstreams };
}

function formatSteps(steps: readonly StepReport[], { agents }: Situation): string {
  if (steps.length === 0 && agents.length === 0) return "Found nothing to set up. No changes made.";
  if (steps.length === 0) return "Everything is set up. No changes made.";
  return table(
    ["STEP", "STATE"],
    steps.map(({ title, state }) => [title, state]),
  );
}

async function listProxyHints(
  steps: readonly StepReport[],
  flags: InitFlags,
  onlyShow: boolean,
): Promise<readonly string[]> {
  const isLeftOut = !onlyShow && steps.some(({ part, state }) => part === "proxy" && state === "proposed");
  if (!isLeftOut) return [];
  return [`Set up the proxy too: ${await formatUnattendedCommand({ ...flags, proxy: true })}`];
}

async function formatUnattendedCommand({ config, envFile, project, proxy }: InitFlags): Promise<string> {
  const { argv } = await currentInstallTarget(project);
  const flags = { "--config": config, "--env-file": envFile, "--project": project, "--proxy": proxy };
  return unattendedLine([...argv, "init"], flags);
}

/** Returns the change that creates the configuration file, which names keys in the keychain. Only reads. */
async function planConfiguration({ configuration, upstreams }: Situation): Promise<readonly Change[]> {
  const { path } = configuration;
  const before = await readText(path);
  const purpose = "the upstreams of the proxy";
  return [{ path, target: path, purpose, before, after: formatConfiguration(upstreams) }];
}

/** Returns the text of a configuration file with these upstreams. Pure. */
export function formatConfiguration(upstreams: readonly FoundUpstream[]): string {
  const entries = upstreams.map(({ name, vendor, dialect, baseUrl, variable }) => [
    name,
    {
      ...(vendor === null ? { dialect, base_url: baseUrl } : { vendor, dialect }),
      ...(variable === null ? {} : { api_key: { keychain: variable } }),
    },
  ]);
  return `${JSON.stringify({ proxy: { upstreams: Object.fromEntries(entries) } }, null, 2)}\n`;
}

/** Stores the keys of this shell in the keychain, then writes the configuration. Throws `keychain`. */
async function keepKeys(situation: Situation, changes: readonly Change[]): Promise<void> {
  const variables = new Set(situation.upstreams.flatMap(({ variable }) => variable ?? []));
  for (const name of variables) {
    const secret = processEnvironment[name]?.trim() ?? "";
    await accessKeychain({ action: "store", name, secret });
  }
  await makeFolders(dirname(situation.configuration.path), 0o700);
  // A change without a backup gets no receipt, so that `uninstall` does not remove the configuration.
  await writeChanges(changes, openReceipts("configuration", "proxy"));
}
