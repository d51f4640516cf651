import { resolve } from "node:path";
import { getHomeDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { toRealPath } from "../../files/real-path.ts";
import { createOutboundFetch } from "../../http/outbound-fetch.ts";
import { parsePullUrl } from "../../review/forges/address.ts";
import { environmentGitLabPath, environmentServer, findSignIn } from "../../review/forges/credentials.ts";
import type { DetectOptions } from "../../review/forges/detect-forge.ts";
import type { PullAddress, PullRequest } from "../../review/forges/forge.ts";
import type { ForgeOptions } from "../../review/forges/open-forge.ts";
import { openRepository, type Repository } from "../../review/git/repository.ts";
import { getOriginName } from "../../review/plan/generic-channel.ts";
import type { Output } from "../output.ts";
import { symbolFiles } from "../worker-files.ts";
import { editorLink } from "./code-mode.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { resolveLiveOptions, resolveOptions } from "./options.ts";
import type { LiveFlags } from "./program.ts";
import { type Review, runReview } from "./run.ts";

export interface ReviewPrFlags extends LiveFlags {
  readonly repo?: string;
}

/** Runs `sallyport review pr [NUMBER|URL]`. Resolves to the exit code. */
export async function reviewPr(
  target: string | undefined,
  flags: ReviewPrFlags,
  output: Output,
): Promise<number> {
  const prepare = (lifecycle: Lifecycle) => prepareReview(target, flags, output, lifecycle);
  return runReview(prepare, output, flags.detached);
}

async function prepareReview(
  target: string | undefined,
  flags: ReviewPrFlags,
  output: Output,
  { signal }: Lifecycle,
): Promise<Review> {
  const directory = toRealPath(resolve(flags.repo ?? "."));
  const live = resolveLiveOptions(flags);
  const options = await resolveOptions(flags, directory);
  const isNumber = target === undefined || /^#?\d+$/.test(target);
  const given = isNumber ? undefined : parsePullUrl(target);
  const clone = await openClone(directory, signal, given === undefined);
  const connection = {
    signal,
    fetch: createOutboundFetch(processEnvironment),
    onWait: (message: string) => output.note(message),
    gitlabPath: (host: string) => environmentGitLabPath(host, processEnvironment),
    namedServer: (hostname: string) => environmentServer(hostname, processEnvironment),
  };
  const home = getHomeDirectory(processEnvironment);
  const signInFor = async ({ forge, host }: Pick<PullAddress, "forge" | "host">): Promise<ForgeOptions> => ({
    ...connection,
    signIn: await findSignIn(forge, host, processEnvironment, { home, directory }),
  });
  const [{ openForge }, { findBasePath }] = await Promise.all([
    import("../../review/forges/open-forge.ts"),
    import("../../review/forges/detect-forge.ts"),
  ]);
  const address =
    given === undefined
      ? await addressInClone(clone, target, connection, signInFor)
      : await findBasePath(given, connection);
  const forge = await openForge(address, await signInFor(address));
  const pull = await forge.open();
  const { origin = "origin_b" } = options;
  return {
    options,
    kind: "pr",
    draftSubject: "pull request",
    title: titleOf(pull),
    origin,
    caller: {
      name: flags.agent ?? (options.origin === undefined ? "the command line" : getOriginName(origin)),
      cwd: directory,
      project: address.repository,
      approvalNote: "feedback",
      takesEditedPlan: false,
      takesPermissionMode: false,
      takesAgentSwitch: false,
    },
    // Share links could contain code of a private repository.
    sharingEnabled: false,
    threadsOf: ["pr", pull.url],
    live: live && { ...live, subject: ["pr", pull.url] },
    loadMode: async () => {
      const [{ createPullMode }, { createRoundStore }] = await Promise.all([
        import("../../review/pr/mode.ts"),
        import("../../review/code/rounds/round-store.ts"),
      ]);
      return createPullMode({
        forge,
        opened: pull,
        clone,
        dataDirectory: options.dataDirectory,
        rounds: createRoundStore(options.dataDirectory, pull.url),
        editorLink: editorLink(processEnvironment),
        json: options.json,
        symbolFiles,
      });
    },
  };
}

function titleOf({ number, title }: PullRequest): string {
  return `#${number} ${title}`;
}

/**
 * Opens the clone that contains a folder. Without a clone, returns undefined, or throws `usage` if a clone is
 * required.
 */
async function openClone(
  directory: string,
  signal: AbortSignal,
  isNeeded: boolean,
): Promise<Repository | undefined> {
  try {
    return await openRepository(directory, processEnvironment, signal);
  } catch (cause) {
    if (!isNeeded) return undefined;
    if (!(cause instanceof AppError) || cause.code !== "not_a_repository") throw cause;
    throw new AppError("usage", `Cannot find the pull request: ${directory} is not inside a clone`, {
      cause,
      hint: "Run the command in a clone, name one with --repo DIR, or pass the address of the pull request.",
    });
  }
}

/** Returns the address of the pull request with the given number, or else of the current branch's pull request. */
async function addressInClone(
  clone: Repository | undefined,
  target: string | undefined,
  connection: DetectOptions & Pick<ForgeOptions, "onWait">,
  signInFor: (address: Pick<PullAddress, "forge" | "host">) => Promise<ForgeOptions>,
): Promise<PullAddress> {
  if (!clone) throw new AppError("usage", "The folder is not inside a clone");
  const { currentSource, findRemote } = await import("../../review/forges/remotes.ts");
  const { detectForge } = await import("../../review/forges/detect-forge.ts");
  const { openBranchSearch } = await import("../../review/forges/open-forge.ts");
  const git = await clone.git(connection.signal);
  const remote = await findRemote(git);
  const repository = await detectForge(remote, connection);
  if (target !== undefined) return { ...repository, number: Number(target.replace("#", "")) };
  const source = await currentSource(git, clone, remote);
  if ("number" in source) return { ...repository, number: source.number };
  const find = await openBranchSearch(repository, await signInFor(repository));
  const number = await find(source);
  if (number !== undefined) return { ...repository, number };
  throw new AppError("usage", `${repository.host} has no open pull request for the branch ${source.name}`, {
    hint: "Push the branch and open a pull request, or pass a number or an address.",
  });
}
