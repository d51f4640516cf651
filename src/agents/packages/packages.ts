import { agents } from "../registry.ts";
import { agentPlugin } from "./agent-plugin.ts";
import { agentSkill } from "./agent-skill.ts";
import {
  jsonFile,
  MANIFEST,
  type PackageFile,
  type PackageTarget,
  type PluginPackage,
} from "./plugin-package.ts";

/** Returns every package: those of the agents in the registry, then those that many agents read. */
export async function loadPackages(): Promise<readonly PluginPackage[]> {
  const own = await Promise.all(agents.map(async ({ packages }) => (await packages?.()) ?? []));
  return [...own.flat(), agentPlugin, agentSkill];
}

/**
 * The marketplace files of a folder that has the packages below `plugins/`, and the packages that each one offers.
 * Codex CLI reads the file in `.agents`, Copilot CLI the one in `.github`; both would otherwise read Claude Code's.
 */
const MARKETPLACES = [
  [".claude-plugin/marketplace.json", ["claude-code", "claude-code-mod"]],
  [".agents/plugins/marketplace.json", ["agent-plugin"]],
  [".github/plugin/marketplace.json", ["agent-plugin"]],
] as const;

function marketplaces(packages: readonly PluginPackage[], target: PackageTarget): readonly PackageFile[] {
  return MARKETPLACES.map(([path, ids]) =>
    jsonFile(path, {
      name: MANIFEST.name,
      owner: MANIFEST.author,
      metadata: { description: MANIFEST.description },
      plugins: ids
        .flatMap((id) => packages.filter((each) => each.id === id))
        .map((each) => offer(each, target)),
    }),
  );
}

function offer({ id, files, format, gives }: PluginPackage, target: PackageTarget): object {
  const manifest = files(target).find(({ path }) => path.endsWith("plugin.json"));
  const { name } = JSON.parse(manifest?.content ?? "{}");
  return { name, source: `./plugins/${id}`, description: `${format}: ${gives}` };
}

/** The file by which an exported folder is recognized. */
export const MARKETPLACE_FILE = MARKETPLACES[0][0];

/** Returns the files of a folder from which agents install: each package below `plugins/`, and the marketplaces. */
export async function packageFiles(target: PackageTarget): Promise<readonly PackageFile[]> {
  const packages = await loadPackages();
  return [
    ...marketplaces(packages, target),
    ...packages.flatMap(({ id, files }) =>
      files(target).map(({ path, content }) => ({ path: `plugins/${id}/${path}`, content })),
    ),
  ];
}
