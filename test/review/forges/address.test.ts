import { describe, expect, it } from "vitest";
import { azureParts, parsePullUrl, parseRemoteUrl } from "../../../src/review/forges/address.ts";

describe("parsePullUrl", () => {
  it.each([
    ["https://github.com/octo/castle/pull/7", "github", "github.com", "octo/castle"],
    ["https://github.com/octo/castle/pull/7/files#diff-1", "github", "github.com", "octo/castle"],
    ["https://git.example.test:8443/octo/castle/pull/7", "github", "git.example.test:8443", "octo/castle"],
    ["https://gitlab.com/a/b/castle/-/merge_requests/7/diffs", "gitlab", "gitlab.com", "a/b/castle"],
    ["https://bitbucket.org/octo/castle/pull-requests/7", "bitbucket", "bitbucket.org", "octo/castle"],
    [
      "https://dev.azure.com/o/My%20keep/_git/castle/pullrequest/7",
      "azure",
      "dev.azure.com",
      "o/My keep/_git/castle",
    ],
    [
      "https://o.visualstudio.com/keep/_git/castle/pullRequest/7",
      "azure",
      "o.visualstudio.com",
      "keep/_git/castle",
    ],
  ])("knows the forge of %s by its path", (url, forge, host, repository) => {
    expect(parsePullUrl(url)).toEqual({ forge, host, repository, number: 7 });
  });

  it.each(["", "castle", "https://github.com/octo/castle", "https://github.com/", "ftp://x.test/o/c/pull/7"])(
    "rejects %j",
    (text) => {
      expect(() => parsePullUrl(text)).toThrow(expect.objectContaining({ code: "usage" }));
    },
  );

  it("does not send a token over plain HTTP", () => {
    expect(() => parsePullUrl("http://github.com/o/c/pull/7")).toThrow("would expose your token");
  });
});

describe("parseRemoteUrl", () => {
  it.each([
    ["git@github.com:octo/castle.git", "github.com", "octo/castle", "github"],
    ["ssh://git@ssh.github.com:443/octo/castle.git", "github.com", "octo/castle", "github"],
    ["https://gitlab.com/a/b/castle", "gitlab.com", "a/b/castle", "gitlab"],
    ["https://git.example.test:8443/octo/castle.git", "git.example.test:8443", "octo/castle", undefined],
    ["git@ssh.dev.azure.com:v3/o/keep/castle", "dev.azure.com", "o/keep/_git/castle", "azure"],
    ["o@vs-ssh.visualstudio.com:v3/o/keep/castle", "o.visualstudio.com", "keep/_git/castle", "azure"],
  ])("parses %s", (url, host, path, forge) => {
    expect(parseRemoteUrl(url)).toEqual({ host, path, forge });
  });

  it.each(["ssh://git@git.example.test:2222/octo/castle.git", "git@git.example.test:octo/castle.git"])(
    "does not take the port for HTTPS from %s",
    (url) => {
      expect(parseRemoteUrl(url)).toEqual({
        host: "git.example.test",
        path: "octo/castle",
        forge: undefined,
        isPortUnknown: true,
      });
    },
  );

  it.each(["/srv/git/castle.git", "../castle", "file:///srv/castle", "ext::ssh %S x/y"])(
    "leaves out %s",
    (url) => {
      expect(parseRemoteUrl(url)).toBeUndefined();
    },
  );
});

describe("azureParts", () => {
  it.each([
    ["dev.azure.com", "o/keep/_git/castle", "/o", "keep"],
    ["dev.azure.com", "o/_git/castle", "/o", "castle"],
    ["o.visualstudio.com", "keep/_git/castle", "", "keep"],
    ["tfs.example.test", "tfs/Default/keep/_git/castle", "/tfs/Default", "keep"],
  ])("splits %s/%s", (host, repository, base, project) => {
    expect(azureParts({ host, repository })).toEqual({ base, project, name: "castle" });
  });
});
