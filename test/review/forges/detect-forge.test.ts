import { describe, expect, it } from "vitest";
import { parsePullUrl, parseRemoteUrl, type RemoteAddress } from "../../../src/review/forges/address.ts";
import { environmentGitLabPath, environmentServer } from "../../../src/review/forges/credentials.ts";
import { detectForge, findBasePath } from "../../../src/review/forges/detect-forge.ts";

const HOST = "git.example.test";

/** A connection to a host on which a path of a GitLab server returns 401, and all others a page of another program. */
function connectionTo(server: string | undefined, environment = {}) {
  const asked: string[] = [];
  return {
    asked,
    options: {
      signal: new AbortController().signal,
      fetch: async ({ pathname }: URL) => {
        asked.push(pathname);
        return pathname === `${server}/api/v4/version`
          ? Response.json({ message: "401 Unauthorized" }, { status: 401 })
          : new Response(null, { status: 302, headers: { location: "https://sso.example.test/" } });
      },
      gitlabPath: (host: string) => environmentGitLabPath(host, environment),
      namedServer: (hostname: string) => environmentServer(hostname, environment),
    },
  };
}

const pull = parsePullUrl(`https://${HOST}/tools/gitlab/keep/castle/-/merge_requests/7`);

it.each([
  ["", undefined, "tools/gitlab/keep/castle", 1],
  ["/tools", "/tools", "gitlab/keep/castle", 2],
  ["/tools/gitlab", "/tools/gitlab", "keep/castle", 3],
  [undefined, undefined, "tools/gitlab/keep/castle", 3],
])("finds a GitLab server at %j of its host", async (server, basePath, repository, count) => {
  const { options, asked } = connectionTo(server);
  const found = await findBasePath(pull, options);
  expect([found.basePath, found.repository, found.number]).toEqual([basePath, repository, 7]);
  expect(asked).toHaveLength(count);
});

it("asks neither gitlab.com nor another forge", async () => {
  const { options, asked } = connectionTo("");
  for (const url of ["https://gitlab.com/a/b/c/-/merge_requests/7", `https://${HOST}/octo/castle/pull/7`]) {
    const address = parsePullUrl(url);
    expect(await findBasePath(address, options)).toEqual(address);
  }
  expect(asked).toEqual([]);
});

it.each([
  ["over SSH", `git@${HOST}:keep/castle.git`],
  ["over HTTPS", `https://${HOST}/gitlab/keep/castle.git`],
])("uses the path that the environment names for a remote %s, without asking", async (_how, remote) => {
  const { options, asked } = connectionTo(undefined, { GITLAB_HOST: `https://${HOST}/gitlab/` });
  const address = parseRemoteUrl(remote) as RemoteAddress;
  expect(await detectForge(address, options)).toEqual({
    forge: "gitlab",
    host: HOST,
    basePath: "/gitlab",
    repository: "keep/castle",
  });
  expect(asked).toEqual([]);
});

describe("the port of a remote over SSH", () => {
  const remote = parseRemoteUrl(`ssh://git@${HOST}:2222/keep/castle.git`) as RemoteAddress;

  it.each([
    [{ GITLAB_HOST: `https://${HOST}:8443` }, "gitlab", undefined],
    [{ GL_HOST: `${HOST}:8443/gitlab` }, "gitlab", "/gitlab"],
    [{ GH_HOST: `${HOST}:8443` }, "github", undefined],
  ])("is that of the server in %j, without asking", async (environment, forge, basePath) => {
    const { options, asked } = connectionTo(undefined, environment);
    const found = await detectForge(remote, options);
    expect([found.forge, found.host, found.basePath]).toEqual([forge, `${HOST}:8443`, basePath]);
    expect(asked).toEqual([]);
  });

  const hint = expect.stringContaining(`set GITLAB_HOST=https://${HOST}:PORT`);

  it.each([
    ["nothing listens at 443", async () => Promise.reject(new TypeError("connect ECONNREFUSED"))],
    ["another program listens at 443", async () => new Response("", { status: 404 })],
  ])("is asked for if %s", async (_how, fetch) => {
    const { options } = connectionTo(undefined);
    await expect(detectForge(remote, { ...options, fetch })).rejects.toMatchObject({ hint });
  });

  it("is not asked for if the remote is over HTTPS", async () => {
    const { options } = connectionTo(undefined);
    const overHttps = parseRemoteUrl(`https://${HOST}/keep/castle.git`) as RemoteAddress;
    await expect(detectForge(overHttps, options)).rejects.toMatchObject({
      hint: expect.not.stringContaining("GITLAB_HOST"),
    });
  });
});

it.each([
  [{ GITLAB_HOST: "git.example.test/gitlab" }, "/gitlab"],
  [{ GITLAB_URI: "https://git.example.test/a/b/" }, "/a/b"],
  [{ GITLAB_HOST: "https://git.example.test/" }, undefined],
  [{ GITLAB_HOST: "git.example.test" }, undefined],
  [{ GITLAB_HOST: "https://other.example.test/gitlab" }, undefined],
  [{}, undefined],
])("reads the path of the server from %j", (environment, path) => {
  expect(environmentGitLabPath(HOST, environment)).toBe(path);
});
