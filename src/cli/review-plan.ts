import { AppError } from "../errors.ts";
import type { Output } from "./output.ts";
import type { ReviewFlags } from "./program.ts";

/** `sallyport review plan [FILE]`; resolves to the exit code. */
export async function reviewPlan(
  _file: string | undefined,
  _flags: ReviewFlags,
  _output: Output,
): Promise<number> {
  throw new AppError("internal", "review plan is not built yet");
}
