/**
 * Codex runs a hook only once the person has trusted it, and keeps that in config.toml under the hook's key,
 * `[hooks.state."<path of hooks.json>:stop:<entry>:<hook>"]` (as 0.169.0 writes it). A hook changed since then has
 * the key and is not trusted either, so this can only tell "never".
 */
export function wasEverTrusted(configToml: string, hooksFile: string): boolean {
  return configToml.includes(`"${hooksFile}:stop:`);
}
