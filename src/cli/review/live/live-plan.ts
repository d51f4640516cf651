import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { AppError } from "../../../errors.ts";
import { jsonChannel, textChannel } from "../../../review/plan/generic-channel.ts";
import { planTitle } from "../../../review/plan/plan-title.ts";
import type { Output } from "../../output.ts";
import type { Lifecycle } from "../lifecycle.ts";
import { resolveLiveOptions, resolveOptions } from "../options.ts";
import { liveNeedsFile } from "../plan.ts";
import type { LiveFlags } from "../program.ts";
import { decodeText, readInput } from "../read-input.ts";
import { type Review, runReview } from "../run.ts";

/** Runs `sallyport review plan --live FILE`. Resolves to the exit code. */
export async function reviewPlanLive(
  file: string | undefined,
  flags: LiveFlags,
  output: Output,
): Promise<number> {
  const prepare = (lifecycle: Lifecycle) => prepareReview(file, flags, lifecycle, output);
  return runReview(prepare, output, flags.detached);
}

async function prepareReview(
  file: string | undefined,
  flags: LiveFlags,
  { signal }: Lifecycle,
  output: Output,
): Promise<Review> {
  const live = resolveLiveOptions(flags);
  if (file === undefined || file === "-" || !live) throw liveNeedsFile();
  const plan = await readInput(file, signal, (text) => output.note(text));
  if (!plan.trim())
    throw new AppError("input", `The plan ${file} is empty`, {
      hint: "Write the plan, then run the command again.",
    });
  const path = await realpath(resolve(file));
  const options = await resolveOptions(flags, flags.project ?? dirname(path));
  const origin = options.origin ?? "origin_b";
  const channel = flags.json ? jsonChannel(origin, "the command line") : textChannel(origin);
  const name = flags.agent ?? channel.callerName;
  return {
    options,
    kind: "plan",
    draftSubject: "plan",
    title: planTitle(plan),
    origin,
    caller: { name, cwd: options.cwd, project: basename(options.project), ...channel.takes },
    sharingEnabled: options.environment.sharing,
    live: { ...live, subject: ["plan", path], file: path },
    loadMode: async () => {
      const [{ createPlanReview }, { createPlanMode }, { createLivePlan }] = await Promise.all([
        import("../plan-mode.ts"),
        import("../../../review/plan/mode.ts"),
        import("../../../review/plan/live-plan.ts"),
      ]);
      const loaded = { plan };
      const first = createPlanReview({
        loaded,
        channel,
        options,
        origin,
        permissionMode: undefined,
        requested: undefined,
      });
      const { dataDirectory } = options;
      return createPlanMode(
        createLivePlan(first, { path, dataDirectory, decode: (bytes) => decodeText(bytes, file) }),
      );
    },
  };
}
