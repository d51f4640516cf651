export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}
export function moduleCollector(ids: Set<string>): import("vite").Plugin;
export function packagesOf(
  ids: Iterable<string>,
  options: { readonly root: string; readonly leftOut?: readonly string[] },
): LicensedPackage[];
export function licensesText(packages: readonly LicensedPackage[]): string;
export function nodeLicense(program: string): string;
