/** Returns the environment variable that sets the folder for temporary files, which `os.tmpdir` returns. */
export function getTemporaryVariable(platform: NodeJS.Platform = process.platform): "TEMP" | "TMPDIR" {
  return platform === "win32" ? "TEMP" : "TMPDIR";
}
