import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import {
  REMOTE_PORT,
  type ReviewEnvironment,
  readReviewEnvironment,
} from "../../../config/review/environment.ts";
import type { Output } from "../../output.ts";
import { agentFindings } from "./agents.ts";
import { dataFinding, portFinding, proxyOn } from "./disk-and-ports.ts";
import { type Finding, isBroken, report } from "./finding.ts";
import { browserFinding, gitFinding, nodeFinding } from "./programs.ts";
import { proxyFindings } from "./proxy.ts";

export interface DoctorFlags {
  readonly json: boolean;
  readonly report?: boolean;
  readonly config?: string;
}

/**
 * Runs `sallyport doctor`: reports which parts work on this machine. Resolves to the exit code, 1 if
 * something is broken.
 */
export async function doctor(flags: DoctorFlags, output: Output): Promise<number> {
  const environment = processEnvironment;
  const { browser, remote, ssh, desktop } = readReviewEnvironment(environment);
  const { platform } = process;
  const searchPath = environment["PATH"] ?? "";
  const { findings: proxy, address } = await proxyFindings(flags);
  const findings: readonly Finding[] = [
    nodeFinding(process.version),
    await gitFinding(),
    await browserFinding({ browser, remote, ssh, desktop, searchPath, platform }),
    await dataFinding(dataDirectory(environment), platform),
    await reviewPortFinding(readReviewEnvironment(environment)),
    await portFinding("proxy port", address, "Choose another port with proxy.port or --port.", proxyOn),
    ...proxy,
    ...(await agentFindings({ searchPath, proxyRuns: (await proxyOn(address)) !== undefined })),
  ];
  if (flags.report) {
    const { formatBugReport } = await import("./report.ts");
    await output.result(await formatBugReport(findings, flags));
  } else if (flags.json) await output.result(JSON.stringify({ findings }, null, 2));
  else await output.result(report(findings), "report");
  return isBroken(findings) ? 1 : 0;
}

/**
 * Checks a review's port if remote mode or SERVICE_PORT fixes it; otherwise a review can use any free port.
 */
async function reviewPortFinding({ remote, port }: ReviewEnvironment): Promise<Finding> {
  const fixed = port ?? (remote ? REMOTE_PORT : undefined);
  if (fixed === undefined)
    return {
      subject: "review port",
      state: "ok",
      detail: "any free port; the same one per folder if possible",
    };
  const remedy = "Stop the program that uses it, or choose another port with SERVICE_PORT.";
  return portFinding("review port", { port: fixed }, remedy, async () => undefined);
}
