import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  executableNode,
  minimumNode,
  targets,
  testedNodes,
  testedRunners,
} from "../../../scripts/release/facts.mjs";
import { root } from "../../support/documents.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = resolve(root, ".github/workflows");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const names = readdirSync(folder);

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

describe("the workflows", () => {
  it("test and release the platforms and Node.js versions of scripts/release/facts.mjs", () => {
    const { check, ...others } = parse(read("test.yml")).jobs;
    expect(check.strategy.matrix).toEqual({ runner: testedRunners, node: testedNodes });
    expect(JSON.stringify(others["oldest-node"])).toContain(`"node-version":"${minimumNode}.0"`);
    const { executable } = parse(read("release.yml")).jobs;
    expect(executable.strategy.matrix.include).toEqual(targets);
    const versions = [...read("release.yml").matchAll(/node-version: "(.*)"/g)].map(([, version]) => version);
    expect([...new Set(versions)]).toEqual([executableNode]);
  });

  it.each(names)("%s pins each action to a commit, and names its version", (name) => {
    for (const [line] of read(name).matchAll(/^.*uses: .*$/gm))
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(names)("%s gives no job more permissions than it needs, and keeps no credentials", (name) => {
    const { permissions, jobs }: Workflow = parse(read(name));
    expect(permissions).toEqual({ contents: "read" });
    const writing = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(writing.map(([job]) => job)).toEqual(name === "release.yml" ? ["release", "npm"] : []);
    for (const { steps } of Object.values(jobs)) {
      const checkouts = steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
      for (const checkout of checkouts) expect(checkout.with).toEqual({ "persist-credentials": false });
    }
  });

  it.each(names)("%s passes no value of an event or a matrix to a shell as text", (name) => {
    const { jobs }: Workflow = parse(read(name));
    for (const { steps } of Object.values(jobs))
      for (const { run = "" } of steps) expect(run).not.toMatch(/\$\{\{/);
  });

  it("pack with the addresses of their repository instead of the reserved domain in package.json", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "package.json");
    await copyFile(resolve(root, "package.json"), path);
    const { steps } = (parse(read("release.yml")) as Workflow).jobs["package"] ?? { steps: [] };
    const replacing = steps.findIndex(({ run = "" }) => run.includes("npm pkg set"));
    expect(replacing).toBeLessThan(steps.findIndex(({ run = "" }) => run.includes("npm pack")));
    const repository = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "octo/sallyport" };
    await promisify(execFile)("bash", ["-euc", steps[replacing]?.run ?? ""], {
      cwd: folder,
      env: { ...process.env, ...repository },
    });
    const written = readFileSync(path, "utf8");
    expect(JSON.parse(written)).toMatchObject({
      repository: { type: "git", url: "git+https://github.com/octo/sallyport.git" },
      homepage: "https://github.com/octo/sallyport#readme",
      bugs: "https://github.com/octo/sallyport/issues",
    });
    expect(written).not.toContain(".example");
  });

  it.each([
    ["v1.2.0", "latest", "false"],
    ["v1.2.0-rc.1", "next", "true"],
  ])(
    "release %s under npm's tag %s, and mark a pre-release at GitHub: %s",
    async (tag, distTag, isPrerelease) => {
      const { release, npm } = (parse(read("release.yml")) as Workflow).jobs;
      const steps = [...(release?.steps ?? []), ...(npm?.steps ?? [])];
      const scripts = steps
        .map(({ run = "" }) => run)
        .filter((run) => /gh release create|npm publish/.test(run));
      const fakes = 'gh() { printf "gh %s\\n" "$*"; }; npm() { printf "npm %s\\n" "$*"; };';
      const { stdout } = await promisify(execFile)("bash", ["-euc", `${fakes}\n${scripts.join("\n")}`], {
        env: { ...process.env, GITHUB_REF_NAME: tag },
      });
      const [github = "", published = ""] = stdout.split("\n");
      expect(github).toContain(`gh release create ${tag} --draft --prerelease=${isPrerelease} `);
      expect(published).toMatch(new RegExp(`^npm publish .* --tag ${distTag} `));
    },
  );

  it("run commands that package.json has, and install without scripts", () => {
    const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
    for (const name of names) {
      for (const [, script = ""] of read(name).matchAll(/npm run ([\w:]+)/g))
        expect(Object.keys(scripts)).toContain(script);
      for (const [line] of read(name).matchAll(/npm ci.*$/gm)) expect(line).toBe("npm ci --ignore-scripts");
    }
  });
});
