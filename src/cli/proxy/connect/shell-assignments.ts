/** Returns lines that set variables in the person's shell: POSIX sh, or PowerShell on Windows. */
export function shellAssignments(
  variables: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): string {
  return Object.entries(variables)
    .map(([name, value]) =>
      platform === "win32"
        ? `$env:${name} = '${value.replaceAll("'", "''")}'`
        : `export ${name}='${value.replaceAll("'", "'\\''")}'`,
    )
    .join("\n");
}
