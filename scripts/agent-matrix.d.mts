export interface AgentVersions {
  readonly name: string;
  readonly tested: string;
  readonly newest: string;
}
export interface AgentResult extends AgentVersions {
  readonly state: string;
  readonly cells?: number;
  readonly broken?: readonly string[];
  readonly failing?: readonly string[];
}
export interface AgentRun {
  readonly installs: boolean;
  readonly count?: number;
  readonly failed?: readonly string[];
  readonly failedBefore?: readonly string[];
}
export function toAgents<Program>(
  programs: Readonly<Record<string, Program>>,
  wanted?: readonly string[],
): [string, Program][];
export function keepRun<Result extends { readonly status: string }>(results: readonly Result[]): Result[];
export function failedCells(
  results: readonly { readonly status: string; readonly fullName: string }[],
  version: string,
): string[];
export function judgeAgent(agent: AgentVersions, run?: AgentRun): AgentResult;
export function getExitCode(results: readonly AgentResult[]): number;
export function formatReport(results: readonly AgentResult[]): string;
