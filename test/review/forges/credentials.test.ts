import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { environmentSignIn, findSignIn } from "../../../src/review/forges/credentials.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("environmentSignIn", () => {
  const everything = {
    GH_TOKEN: "public",
    GH_ENTERPRISE_TOKEN: "enterprise",
    GITLAB_TOKEN: "gitlab",
    BITBUCKET_TOKEN: "bitbucket",
    AZURE_DEVOPS_EXT_PAT: "azure",
  };

  it.each([
    ["github", "github.com", {}, "public"],
    ["github", "git.example.test", {}, undefined],
    ["github", "git.example.test", { GH_HOST: "git.example.test" }, "enterprise"],
    ["github", "evil.test", { GH_HOST: "git.example.test" }, undefined],
    ["github", "octo.ghe.com", { GH_HOST: "octo.ghe.com" }, "public"],
    ["gitlab", "gitlab.com", {}, "gitlab"],
    ["gitlab", "gitlab.com", { GITLAB_HOST: "https://git.example.test" }, undefined],
    ["gitlab", "git.example.test", { GITLAB_HOST: "https://git.example.test" }, "gitlab"],
    ["gitlab", "gitlab.com.evil.test", {}, undefined],
    ["bitbucket", "bitbucket.org", {}, "bitbucket"],
    ["bitbucket", "evil.test", {}, undefined],
    ["azure", "dev.azure.com", {}, "azure"],
    ["azure", "evil.test", {}, undefined],
  ] as const)("of %s at %s with %j is %s", (forge, host, environment, secret) => {
    expect(environmentSignIn(forge, host, { ...everything, ...environment })?.secret).toBe(secret);
  });
});

describe("findSignIn", () => {
  it("asks the forge's tool without the tokens of the environment, and no tool of the repository", async () => {
    const folder = await temporaryFolder();
    const [tools, repository] = [join(folder, "tools"), join(folder, "repository")];
    await mkdir(join(repository, ".git"), { recursive: true });
    await mkdir(tools);
    const log = join(folder, "log");
    const program = (token: string) =>
      `#!/bin/sh\necho "$GH_ENTERPRISE_TOKEN|$GH_HOST|$*" >> ${log}\necho ${token}\n`;
    await writeFile(join(tools, "gh"), program("from-the-tool"));
    await writeFile(join(repository, "gh"), program("from-the-repository"));
    for (const path of [tools, repository]) await chmod(join(path, "gh"), 0o755);
    const environment = {
      PATH: [repository, ".", tools, process.env["PATH"]].join(delimiter),
      GH_ENTERPRISE_TOKEN: "of-another-host",
      GH_HOST: "other.test",
    };
    const found = await findSignIn("github", "git.example.test", environment, {
      home: folder,
      directory: repository,
    });
    expect(found).toEqual({ authorization: "Bearer from-the-tool", secret: "from-the-tool" });
    expect(await readFile(log, "utf8")).toBe("||auth token --hostname git.example.test\n");
  });

  it("names the commands with which a person signs in", async () => {
    const folder = await temporaryFolder();
    const signIn = findSignIn(
      "gitlab",
      "git.example.test",
      { PATH: folder },
      { home: folder, directory: folder },
    );
    await expect(signIn).rejects.toMatchObject({
      code: "forge_sign_in",
      exitCode: 2,
      hint: expect.stringContaining("glab auth login --hostname git.example.test"),
    });
  });
});
