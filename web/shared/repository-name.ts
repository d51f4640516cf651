/** Returns the name of a repository from its path on any system, or the text itself if it is not a path. */
export function repositoryName(path: string): string {
  return /([^/\\]+)[/\\]*$/.exec(path)?.[1] ?? path;
}
