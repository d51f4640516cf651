export interface ReleaseTarget {
  readonly platform: string;
  readonly arch: string;
  readonly runner: string;
  readonly archive: string;
}
export const name: string;
export const version: string;
export const license: string;
export const summary: string;
export const description: string;
export const minimumNode: string;
export const testedNodes: readonly string[];
export const executableNode: string;
export const testedRunners: readonly string[];
export const targets: readonly ReleaseTarget[];
export function downloadUrl(repository: string, file: string, tag?: string): string;
export function parseChecksums(text: string): Map<string, string>;
