import { AppError } from "../../errors.ts";
import type { Call } from "../call.ts";
import type { CalledOperation } from "../operation-path.ts";

export function answerEcho(_call: Call, _called: CalledOperation, _body: Buffer | undefined): void {
  throw new AppError("unsupported", "echo");
}
