import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const configuration = z.object({ vaults: z.record(z.string(), z.unknown()) });
const vault = z.object({ path: z.string() });

export interface VaultFolders {
  readonly home: string;
  /** `$XDG_CONFIG_HOME`, or `%APPDATA%` on Windows. */
  readonly configHome?: string | undefined;
}

/** Returns the possible paths of Obsidian's list of vaults, by platform and kind of installation. */
export function vaultConfigurations({ home, configHome }: VaultFolders, platform: NodeJS.Platform): string[] {
  const file = join("obsidian", "obsidian.json");
  if (platform === "darwin") return [join(home, "Library", "Application Support", file)];
  if (platform === "win32") return [join(configHome ?? join(home, "AppData", "Roaming"), file)];
  return [
    join(configHome ?? join(home, ".config"), file),
    join(home, ".var", "app", "md.obsidian.Obsidian", "config", file),
    join(home, "snap", "obsidian", "current", ".config", file),
  ];
}

/** Returns the existing vaults of Obsidian's lists. Skips a list that cannot be read. */
export async function findVaults(folders: VaultFolders, platform = process.platform): Promise<string[]> {
  const lists = await Promise.all(vaultConfigurations(folders, platform).map(vaultsIn));
  const paths = [...new Set(lists.flat())];
  const present = await Promise.all(paths.map(isFolder));
  return paths.filter((_, index) => present[index]);
}

async function vaultsIn(file: string): Promise<string[]> {
  try {
    const { vaults } = configuration.parse(JSON.parse(await readFile(file, "utf8")));
    return Object.values(vaults).flatMap((value) => {
      const result = vault.safeParse(value);
      return result.success ? [result.data.path] : [];
    });
  } catch {
    return [];
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
