type Checksums = ReadonlyMap<string, string>;
export function releaseFiles(
  repository: string,
  checksums: Checksums,
  changelog: string,
): Record<string, string>;
export function releaseNotes(changelog: string): string;
export function homebrewFormula(repository: string, checksums: Checksums): string;
export function wingetManifests(repository: string, checksums: Checksums): Record<string, string>;
export function installScript(repository: string, checksums: Checksums): string;
