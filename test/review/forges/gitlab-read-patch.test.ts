import { expect, it } from "vitest";
import { createForgeClient } from "../../../src/review/forges/client.ts";
import { readCommitPatch } from "../../../src/review/forges/gitlab/read-patch.ts";

const SHA = "a".repeat(40);

/** Files by commit and path. */
const CONTENT: Readonly<Record<string, string>> = {
  [`${SHA}^/lock.json`]: "one\n",
  [`${SHA}/lock.json`]: "two\n",
  [`${SHA}/run.sh`]: "echo\n",
  [`${SHA}^/old.txt`]: "a\n",
  [`${SHA}/old.txt`]: "b\n",
};

const change = (name: string, members: object) => ({
  old_path: name,
  new_path: name,
  a_mode: "100644",
  b_mode: "100644",
  new_file: false,
  deleted_file: false,
  renamed_file: false,
  diff: "",
  ...members,
});

const LISTED = [
  change("a.txt", { diff: "@@ -1 +1 @@\n-a\n+b\n" }),
  change("lock.json", { collapsed: true }),
  change("run.sh", { new_file: true, a_mode: "0", b_mode: "100755", too_large: true }),
  change("mode.sh", { b_mode: "100755" }),
  // A version of GitLab that does not report that it has left out the lines.
  change("old.txt", {}),
];

const client = createForgeClient({
  forge: "gitlab",
  host: "gitlab.com",
  base: "https://gitlab.com/api/v4",
  signIn: undefined,
  fetch: async (url) => {
    const { pathname, searchParams } = new URL(String(url));
    if (pathname.endsWith("/diff")) return Response.json(LISTED);
    const name = /\/files\/(.*)\/raw$/.exec(pathname)?.[1];
    const content = CONTENT[`${searchParams.get("ref")}/${name}`];
    return new Response(content ?? "{}", { status: content === undefined ? 404 : 200 });
  },
});

it("a commit of GitLab shows the lines of files that GitLab leaves out", async () => {
  const address = { forge: "gitlab", host: "gitlab.com", repository: "octo/castle", number: 7 } as const;
  const patch = (await readCommitPatch(client, address, SHA)).toString();
  const [first, lock, script, mode, old] = patch.split(/^(?=diff --git )/m);
  expect(first).toContain("-a\n+b\n");
  expect(lock).toContain("@@ -1,1 +1,1 @@\n-one\n+two\n");
  expect(script).toContain("new file mode 100755\n");
  expect(script).toContain("+echo\n");
  expect(mode).toBe("diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755\n");
  expect(old).toContain("-a\n+b\n");
});
